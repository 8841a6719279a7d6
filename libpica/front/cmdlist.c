/* Not written yet. */
typedef int cmdlist_stub;
