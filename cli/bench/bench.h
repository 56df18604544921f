// The benchmarks of toi bench. Each gets its own arguments, its name first, and returns an exit
// code.

#ifndef TOI_CLI_BENCH_H
#define TOI_CLI_BENCH_H

int run_bench_broad(int argc, char **argv);
int run_bench_narrow(int argc, char **argv);
int run_bench_ccd(int argc, char **argv);
int run_bench_track(int argc, char **argv);
int run_bench_sdf(int argc, char **argv);
int run_bench_overlap(int argc, char **argv);

#endif
