// Exit codes, and the one form that messages on standard error have: "toi COMMAND: what".

#ifndef TOI_CLI_FAILURE_H
#define TOI_CLI_FAILURE_H

#include "toi/base.h"

enum exit_code
{
    EXIT_DONE,
    EXIT_USAGE,     // the command line is wrong
    EXIT_INPUT,     // a file or what is in it
    EXIT_RESOURCES, // memory, a limit, a full disk, something this build or machine does not have
};

// Names the subcommand in all messages from here on.
void set_command(const char *name);

// The program's name in messages and help; "toi" unless another is set.
void set_program(const char *name);
const char *program_name(void);

// The exit code for a status. Unless it is TOI_OK, says what toi_last_message() holds, and for a
// wrong command line how to get help.
int finish(toi_status status);

#endif
