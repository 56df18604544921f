// The subcommands. Each gets its own arguments, its name first, and returns an exit code.

#ifndef TOI_CLI_COMMAND_H
#define TOI_CLI_COMMAND_H

int run_ccd(int argc, char **argv);
int run_track(int argc, char **argv);
int run_pairs(int argc, char **argv);
int run_close(int argc, char **argv);
int run_intersect(int argc, char **argv);
int run_kfree(int argc, char **argv);
int run_check(int argc, char **argv);
int run_queries(int argc, char **argv);
int run_sdf(int argc, char **argv);
int run_truth(int argc, char **argv);
int run_bench(int argc, char **argv);
int run_report(int argc, char **argv);
int run_scene(int argc, char **argv);
int run_info(int argc, char **argv);

#endif
