/* Not written yet. */
typedef int plan_stub;
