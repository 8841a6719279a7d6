/* The verbs of the program. Each gets its own command line (argv[0] = "pica VERB") and returns an
 * exit code. */
#ifndef PICA_VERBS_H
#define PICA_VERBS_H

int verb_draws(int argc, char **argv);
int verb_pixel(int argc, char **argv);
int verb_assert_pixel(int argc, char **argv);
int verb_render(int argc, char **argv);
int verb_info(int argc, char **argv);
int verb_shader(int argc, char **argv);
int verb_bench(int argc, char **argv);
int verb_dump(int argc, char **argv);
int verb_inspect(int argc, char **argv);
int verb_diff(int argc, char **argv);
int verb_conform(int argc, char **argv);
int verb_convert(int argc, char **argv);
int verb_trim(int argc, char **argv);
int verb_minimise(int argc, char **argv);
int verb_verify(int argc, char **argv);
int verb_lint(int argc, char **argv);
int verb_sessions(int argc, char **argv);
int verb_top(int argc, char **argv);
int verb_kick(int argc, char **argv);
int verb_metrics(int argc, char **argv);
int verb_batch(int argc, char **argv);
int verb_record(int argc, char **argv);
int verb_submit(int argc, char **argv);
int verb_view(int argc, char **argv);
int verb_play(int argc, char **argv);
int verb_focus(int argc, char **argv);
int verb_screenshot(int argc, char **argv);
int verb_host_run(int argc, char **argv);

#endif
