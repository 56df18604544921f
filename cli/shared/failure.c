// Prints the program's messages and chooses its exit code.

#include "failure.h"

#include <stdio.h>

static const char *program = "toi";
static const char *command;

void set_command(const char *name)
{
    command = name;
}

void set_program(const char *name)
{
    program = name;
}

const char *program_name(void)
{
    return program;
}

static int exit_code(toi_status status)
{
    switch (status) {
    case TOI_OK:
        return EXIT_DONE;
    case TOI_ERROR_ARGUMENT:
        return EXIT_USAGE;
    case TOI_ERROR_DATA:
    case TOI_ERROR_FILE:
    case TOI_ERROR_FORMAT:
        return EXIT_INPUT;
    default:
        return EXIT_RESOURCES;
    }
}

int finish(toi_status status)
{
    if (status == TOI_OK)
        return EXIT_DONE;
    const char *space = command ? " " : "";
    const char *name = command ? command : "";
    fprintf(stderr, "%s%s%s: %s\n", program, space, name, toi_last_message());
    if (status == TOI_ERROR_ARGUMENT)
        fprintf(stderr, "Try '%s%s%s --help'.\n", program, space, name);
    return exit_code(status);
}
