// What a measurement was made with. Every benchmark's csv ends with these columns, so that a row
// tells where it comes from wherever it is copied to.

#ifndef TOI_CLI_ENVIRONMENT_H
#define TOI_CLI_ENVIRONMENT_H

#include <stdio.h>

enum
{
    ENVIRONMENT_BYTES = 80
};

// Texts without commas; all empty: not known, as in rows of old files.
typedef struct environment
{
    char machine[ENVIRONMENT_BYTES];  // the processor's model, and how many cores
    char compiler[ENVIRONMENT_BYTES]; // with its version
    char commit[ENVIRONMENT_BYTES];   // of the tree that was built, "-dirty" if it had changes
} environment;

// Of this program on this machine.
const environment *this_environment(void);

// The names of the columns, and their values in a row; without a comma before or after.
#define ENVIRONMENT_TITLES "machine,compiler,commit"
void write_environment(FILE *file, const environment *from);

#endif
