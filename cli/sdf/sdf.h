// The subcommands of toi sdf. Each gets its own arguments, its name first, and returns an exit
// code.

#ifndef TOI_CLI_SDF_H
#define TOI_CLI_SDF_H

int run_sdf_ccd(int argc, char **argv);
int run_sdf_query(int argc, char **argv);
int run_sdf_bake(int argc, char **argv);

#endif
