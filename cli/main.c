// The program: finds the subcommand and runs it.

#include "command.h"
#include "failure.h"
#include "names.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int run_help(int argc, char **argv);

static const struct
{
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"ccd", "the earliest impact, or every impact, between two frames of a mesh", run_ccd},
    {"track", "every impact of one step after the other, with what a scene remembers", run_track},
    {"pairs", "the candidate pairs of two frames, and how long it takes to find them", run_pairs},
    {"close", "the pairs of one frame that are close, and the closest of all", run_close},
    {"intersect", "all pairs of faces of a mesh, or of two, that intersect", run_intersect},
    {"kfree", "how many intersections a mesh can have: the k-free analysis", run_kfree},
    {"check", "what is wrong with a mesh, or with a step of one", run_check},
    {"queries", "decide the queries of a file, and compare with its truth", run_queries},
    {"sdf", "meshes against signed distance fields: first contact, values, baking", run_sdf},
    {"truth", "exact truth for the frames of a mesh, made or checked", run_truth},
    {"bench", "compare the methods: cost, errors, times", run_bench},
    {"report", "the results of benchmarks as one page of plots and tables", run_report},
    {"scene", "write the frames of a procedural scene", run_scene},
    {"info", "version, compiler, SIMD, threads, methods", run_info},
    {"help", "this list, or all about a command: toi help COMMAND", run_help},
};

enum
{
    COMMAND_COUNT = sizeof commands / sizeof *commands
};

static const char *command_name(int index)
{
    return index < COMMAND_COUNT ? commands[index].name : NULL;
}

static const char *option_name(int index)
{
    static const char *const names[] = {"--help", "--version"};
    return index < 2 ? names[index] : NULL;
}

static int print_help(void)
{
    printf("Usage: toi COMMAND [ARGUMENT...]\n\n"
           "Finds the first time of impact between moving geometry, never late.\n\nCommands:\n");
    for (int i = 0; i < COMMAND_COUNT; ++i)
        printf("  %-10s%s\n", commands[i].name, commands[i].summary);
    printf("\n'toi COMMAND --help' tells more of each; 'toi --version' the version.\n"
           "Exit codes: 0 done, 1 bad usage, 2 bad input, 3 out of resources (memory, disk).\n\n"
           "Examples:\n"
           "  toi ccd start.ply end.ply\n"
           "  toi ccd --scene cloth-ball --begin 0.7 --all --picture impacts.svg\n");
    return EXIT_DONE;
}

static int run_command(int argc, char **argv)
{
    int index = find_name(argv[0], strlen(argv[0]), command_name);
    if (index < 0)
        return finish(fail_name("there is no command", argv[0], strlen(argv[0]), command_name));
    if (commands[index].run != run_help)
        set_command(commands[index].name);
    return commands[index].run(argc, argv);
}

// "toi help bench narrow" is "toi bench narrow --help".
static int run_help(int argc, char **argv)
{
    char help[] = "--help";
    char *asked[] = {argc > 1 ? argv[1] : help, argc > 2 ? argv[2] : help, help};
    bool all = argc < 2 || strcmp(argv[1], help) == 0 || strcmp(argv[1], "-h") == 0 ||
               strcmp(argv[1], "help") == 0;
    return all ? print_help() : run_command(3, asked);
}

static int run_program(int argc, char **argv)
{
    if (argc < 2) {
        char names[NAMES_BYTES];
        join_names(names, command_name);
        return finish(toi_fail(TOI_ERROR_ARGUMENT, "which command? There are %s", names));
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help();
    if (strcmp(argv[1], "--version") == 0) {
        printf("toi %s\n", toi_version());
        return EXIT_DONE;
    }
    if (argv[1][0] == '-')
        return finish(fail_name("there is no option", argv[1], strlen(argv[1]), option_name));
    return run_command(argc - 1, argv + 1);
}

// A file opened while a standard stream is closed would take its place, and our words.
static bool open_streams(void)
{
    bool output = fcntl(STDOUT_FILENO, F_GETFD) >= 0;
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
            return false;
    return output;
}

static int fail_output(int error)
{
    fprintf(stderr, "toi: cannot write to standard output: %s\n", strerror(error));
    return EXIT_RESOURCES;
}

int main(int argc, char **argv)
{
    if (!open_streams())
        return fail_output(EBADF);
    catch_signals();
    int code = run_program(argc, argv);
    errno = 0;
    bool failed = ferror(stdout) != 0;
    // 2 is also an answer of `toi check`, which is of no use where nobody got to read it.
    if ((fclose(stdout) != 0 || failed) && (code == EXIT_DONE || code == EXIT_INPUT))
        return fail_output(errno ? errno : EIO);
    return code;
}
