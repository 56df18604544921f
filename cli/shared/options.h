// Command lines as tables: each option names its type, its range and where its value goes, and the
// help text is made from the same table.

#ifndef TOI_CLI_OPTIONS_H
#define TOI_CLI_OPTIONS_H

#include "toi/base.h"

// What an option's value is.
typedef enum option_type
{
    OPTION_FLAG,   // bool; no argument, sets it
    OPTION_TEXT,   // const char *
    OPTION_FILE,   // const char *: a file to write, of the kind that `argument` ends in
    OPTION_INT,    // int or int32_t
    OPTION_INT64,  // int64_t
    OPTION_BYTES,  // int64_t, written as 64M or 1G
    OPTION_NUMBER, // double
    OPTION_VECTOR, // double[3], written as x,y,z
    OPTION_CHOICE, // int or an enumeration: the number of a name
} option_type;

typedef struct option
{
    const char *name; // without its dashes; NULL ends a table
    option_type type;
    size_t offset;        // of the value in the group's structure
    const char *argument; // what stands for it in the help
    const char *help;
    double least; // of a number; both ends count
    double most;
    const char *range;                // the same in words, for messages
    const char *(*choice)(int index); // names; NULL past the last
} option;

// A table, and the structure its values go to, which holds the defaults.
typedef struct option_group
{
    const char *title;
    const option *options;
    void *values;
} option_group;

// What a subcommand takes.
typedef struct command_line
{
    const char *usage;          // one line a form, without the program's name
    const char *about;          // what it does
    const char *examples;       // at least one line
    const option_group *groups; // ends with one that has no options
    int most_operands;
} command_line;

enum
{
    MOST_THREAD_COUNTS = 16, // in a list of them
    GO_ON = -1               // from parse_command_line(): no exit code yet
};

// The arguments that are no options, moved to the front of the program's own.
typedef struct operand_list
{
    const char **at;
    int count;
} operand_list;

// Sets the values of all options in `argv`, argv[0] being the subcommand's name, and gathers the
// operands in its front. Returns GO_ON, or the exit code when help was asked for and printed, or
// when something was wrong and said.
int parse_command_line(const command_line *line, int argc, char **argv, operand_list *operands);

// Options that every subcommand has.
typedef struct common
{
    int threads; // 0: all cores
    int repeat;
    int simd; // of simd_choice()
    bool json;
} common;

extern const option common_options[];
extern const option repeat_options[]; // those, --repeat and --simd

common default_common(void);

// "auto", "baseline", "avx2", "avx512", NULL.
const char *simd_choice(int index);

// Limits the kernels to the instruction set asked for; refuses one that the CPU does not have.
toi_status apply_simd(const common *c);

// Marks what a list such as "a,b,c", the value of the option `name`, has of all that `choice` has.
// No list, NULL, has all.
toi_status choose_names(const char *name, const char *list, const char *(*choice)(int index),
                        bool chosen[]);

// Reads a list such as "1,2,0", the value of --threads; 0 means all cores. Numbers that were there
// before are left out.
toi_status choose_threads(const char *list, int threads[MOST_THREAD_COUNTS], int *count);

// The number of threads to report. After this, all of the program keeps to it.
int apply_threads(const common *c);

#endif
