// Finds out what a measurement is made with: machine, compiler, commit.

#include "environment.h"

#include "commit.h"

#include <stdbool.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

// Copies what may stand in a cell: no commas, no control characters, no blanks at either end or in
// a row.
static void copy_cell(char to[ENVIRONMENT_BYTES], const char *from)
{
    size_t length = 0;
    for (; *from && length < ENVIRONMENT_BYTES - 1; ++from) {
        bool blank = (unsigned char)*from <= ' ' || *from == ',';
        if (!blank)
            to[length++] = *from;
        else if (length > 0 && to[length - 1] != ' ')
            to[length++] = ' ';
    }
    while (length > 0 && to[length - 1] == ' ')
        --length;
    to[length] = '\0';
}

// What the system calls the processor; false where it does not say.
static bool find_processor(char name[ENVIRONMENT_BYTES])
{
    char line[256];
    bool found = false;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        found = colon && strncmp(line, "model name", strlen("model name")) == 0;
        if (found)
            copy_cell(name, colon + 1);
    }
    if (file)
        fclose(file);
    return found;
}

static void find_machine(char machine[ENVIRONMENT_BYTES])
{
    char processor[ENVIRONMENT_BYTES] = "unknown", words[ENVIRONMENT_BYTES + 32];
    struct utsname system;
    if (!find_processor(processor) && uname(&system) == 0)
        copy_cell(processor, system.machine);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(words, sizeof words, "%.60s %ld core%s", processor, cores, cores == 1 ? "" : "s");
    copy_cell(machine, words);
}

const environment *this_environment(void)
{
    static environment here;
    if (!*here.machine) {
        find_machine(here.machine);
        copy_cell(here.compiler, COMPILER);
        copy_cell(here.commit, TOI_COMMIT);
    }
    return &here;
}

void write_environment(FILE *file, const environment *from)
{
    fprintf(file, "%s,%s,%s", from->machine, from->compiler, from->commit);
}
