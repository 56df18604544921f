// toi sdf: meshes against signed distance fields, each question with its own options.

#include "sdf.h"

#include "command.h"
#include "failure.h"
#include "field_text.h"
#include "names.h"

#include <stdio.h>
#include <string.h>

static const struct
{
    const char *name;
    const char *command; // for messages
    const char *summary;
    int (*run)(int argc, char **argv);
} questions[] = {
    {"ccd", "sdf ccd", "the first contact of a moving mesh with a field, with a certificate",
     run_sdf_ccd},
    {"query", "sdf query", "a field's values and gradients at points", run_sdf_query},
    {"bake", "sdf bake", "a mesh as a grid of its signed distances, in a file", run_sdf_bake},
};

enum
{
    QUESTION_COUNT = sizeof questions / sizeof *questions
};

static const char *question_name(int index)
{
    return index < QUESTION_COUNT ? questions[index].name : NULL;
}

static int print_help(void)
{
    printf("Usage: toi sdf COMMAND [ARGUMENT...]\n\n"
           "Triangle meshes against signed distance fields.\n\nCommands:\n");
    for (int i = 0; i < QUESTION_COUNT; ++i)
        printf("  %-10s%s\n", questions[i].name, questions[i].summary);
    printf("\n'toi sdf COMMAND --help' tells more of each; all have --threads and --json.\n"
           "\n%s\n\nExamples:\n"
           "  toi sdf ccd star.ply --field torus:0.11,0.04 --velocity 0,0,-30 --spin 0,9,0\n"
           "  toi sdf query bunny.ply@0,0,1+0.01 --points points.csv\n"
           "  toi sdf bake bunny.ply --resolution 128 --out bunny.sdf\n",
           field_help);
    return EXIT_DONE;
}

int run_sdf(int argc, char **argv)
{
    char names[NAMES_BYTES];
    join_names(names, question_name);
    if (argc < 2)
        return finish(toi_fail(TOI_ERROR_ARGUMENT, "which command? There are %s", names));
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        return print_help();
    int index = find_name(argv[1], strlen(argv[1]), question_name);
    if (index < 0)
        return finish(
            fail_name("there is no command sdf", argv[1], strlen(argv[1]), question_name));
    set_command(questions[index].command);
    return questions[index].run(argc - 1, argv + 1);
}
