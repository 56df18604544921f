// Parses a command line by a table of options, and prints the help from the same table.

#include "options.h"

#include "failure.h"
#include "names.h"
#include "text.h"

#include <assert.h>
#ifdef TOI_OPENMP
#include <omp.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum
{
    HELP_WIDTH = 80,
    HELP_INDENT = 30
};

static void *value_of(const option_group *group, const option *o)
{
    return (char *)group->values + o->offset;
}

// ---------------------------------------------------------------------------------------------
// Help

// The value before any option is read, in words; "" where that says nothing.
static text default_text(const option_group *group, const option *o)
{
    const void *value = value_of(group, o);
    text result = {""};
    double number = 0;
    const char *name = o->type == OPTION_CHOICE ? o->choice(*(const int *)value) : NULL;
    if (name)
        snprintf(result.at, sizeof result.at, " (default %s)", name);
    else if (o->type == OPTION_NUMBER)
        number = *(const double *)value;
    else if (o->type == OPTION_INT)
        number = *(const int *)value;
    else if (o->type == OPTION_INT64)
        number = (double)*(const int64_t *)value;
    if (number > 0)
        snprintf(result.at, sizeof result.at, " (default %.9g)", number);
    return result;
}

// Prints words from the column HELP_INDENT on, and starts a new line where they would not fit.
static void print_wrapped(const char *words, int column)
{
    while (*words) {
        int length = (int)strcspn(words, " ");
        if (column + 1 + length > HELP_WIDTH) {
            printf("\n%*s", HELP_INDENT, "");
            column = HELP_INDENT;
        }
        column += printf("%s%.*s", column > HELP_INDENT ? " " : "", length, words);
        words += length + (words[length] == ' ');
    }
    putchar('\n');
}

static void print_option(const option_group *group, const option *o)
{
    char words[512];
    snprintf(words, sizeof words, "%s%s", o->help, default_text(group, o).at);
    int column =
        printf("  --%s%s%s", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
    if (column >= HELP_INDENT) {
        putchar('\n');
        column = 0;
    }
    printf("%*s", HELP_INDENT - column, "");
    print_wrapped(words, HELP_INDENT);
}

// Prints each line of `lines` behind `first`, and those after it behind as many spaces.
static void print_lines(const char *first, const char *lines)
{
    int indent = (int)strlen(first);
    for (const char *prefix = first; *lines; prefix = "") {
        int length = (int)strcspn(lines, "\n");
        printf("%s%*s%s%s%.*s\n", prefix, indent - (int)strlen(prefix), "", program_name(),
               length > 0 ? " " : "", length, lines);
        lines += length + (lines[length] == '\n');
    }
}

static void print_help(const command_line *line)
{
    print_lines("Usage: ", line->usage);
    printf("\n%s\n", line->about);
    for (const option_group *group = line->groups; group->options; ++group) {
        printf("\n%s:\n", group->title);
        for (const option *o = group->options; o->name; ++o)
            print_option(group, o);
    }
    printf("\nExamples:\n");
    print_lines("  ", line->examples);
}

static bool wants_help(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "help") == 0) // a file of that name is ./help
        return true;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

// ---------------------------------------------------------------------------------------------
// Values

// The number of a name that an option has been given.
static toi_status choose_name(const char *asked, const char *given, size_t length,
                              const char *(*choice)(int index), int *index)
{
    *index = find_name(given, length, choice);
    if (*index >= 0)
        return TOI_OK;
    char lead[80];
    snprintf(lead, sizeof lead, "--%s: there is no", asked);
    return fail_name(lead, given, length, choice);
}

static toi_status set_choice(const option *o, void *value, const char *argument)
{
    int index;
    toi_status status = choose_name(o->name, argument, strlen(argument), o->choice, &index);
    if (status == TOI_OK)
        memcpy(value, &index, sizeof index);
    return status;
}

static toi_status set_number(const option *o, void *value, const char *argument)
{
    int64_t integer = 0;
    double number = 0;
    bool good;
    if (o->type == OPTION_NUMBER)
        good = parse_number(argument, &number);
    else
        good = o->type == OPTION_BYTES ? parse_bytes(argument, &integer)
                                       : parse_integer(argument, &integer);
    if (o->type != OPTION_NUMBER)
        number = (double)integer;
    if (!good || !(number >= o->least && number <= o->most))
        return toi_fail(TOI_ERROR_ARGUMENT, "--%s is '%s'; use %s", o->name, argument, o->range);
    if (o->type == OPTION_NUMBER)
        *(double *)value = number;
    else if (o->type == OPTION_INT)
        *(int *)value = (int)integer;
    else
        *(int64_t *)value = integer;
    return TOI_OK;
}

static toi_status set_vector(const option *o, double *value, const char *argument)
{
    double numbers[3];
    if (!parse_vector(argument, numbers))
        return toi_fail(TOI_ERROR_ARGUMENT, "--%s is '%s'; use three numbers, %s", o->name,
                        argument, o->argument);
    memcpy(value, numbers, sizeof numbers);
    return TOI_OK;
}

// What comes behind the last dot of a file's name; "" where there is none, as in "/dev/stdout".
static const char *extension_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot > name ? dot + 1 : "";
}

// An option whose argument is FILE.svg writes that kind of file: a name that ends as another kind
// would deceive whoever opens it. FILE.svg|png may be either. Text has many endings.
static toi_status check_ending(const option *o, const char *path)
{
    const char *written = extension_of(o->argument);
    const char *given = extension_of(path);
    if (strcmp(written, "svg|png") == 0)
        written = strcasecmp(given, "png") == 0 ? "png" : "svg";
    bool good = !*given || strcasecmp(given, written) == 0 ||
                (strcmp(written, "html") == 0 && strcasecmp(given, "htm") == 0) ||
                (strcmp(written, "csv") == 0 && strcasecmp(given, "txt") == 0);
    return good ? TOI_OK
                : toi_fail(TOI_ERROR_ARGUMENT,
                           "--%s is '%s', but a .%s file is written; use a name that ends in .%s",
                           o->name, path, written, written);
}

static toi_status set_value(const option_group *group, const option *o, const char *argument)
{
    void *value = value_of(group, o);
    switch (o->type) {
    case OPTION_FLAG:
        *(bool *)value = true;
        return TOI_OK;
    case OPTION_TEXT:
    case OPTION_FILE:
        if (!*argument)
            return toi_fail(TOI_ERROR_ARGUMENT, "--%s is empty; use --%s %s", o->name, o->name,
                            o->argument);
        *(const char **)value = argument;
        return o->type == OPTION_FILE ? check_ending(o, argument) : TOI_OK;
    case OPTION_CHOICE:
        return set_choice(o, value, argument);
    case OPTION_VECTOR:
        return set_vector(o, value, argument);
    default:
        return set_number(o, value, argument);
    }
}

// ---------------------------------------------------------------------------------------------
// Command lines

static toi_status fail_unknown(const command_line *line, const char *argument, size_t length)
{
    char names[1024] = "";
    size_t used = 0, dashes = strspn(argument, "-");
    guess g = start_guess(argument + dashes, length - dashes);
    offer_name(&g, "help");
    for (const option_group *group = line->groups; group->options; ++group)
        for (const option *o = group->options; o->name; ++o) {
            offer_name(&g, o->name);
            if (used < sizeof names)
                used += (size_t)snprintf(names + used, sizeof names - used, "--%s, ", o->name);
        }
    int shown = length < 40 ? (int)length : 40;
    if (g.name) // all of them would hide it
        return toi_fail(TOI_ERROR_ARGUMENT, "there is no option '%.*s'; did you mean --%s?", shown,
                        argument, g.name);
    return toi_fail(TOI_ERROR_ARGUMENT, "there is no option '%.*s'; there are %s--help", shown,
                    argument, names);
}

// Finds "--name" or the front of "--name=value".
static const option *find_option(const command_line *line, const char *name, size_t length,
                                 const option_group **group)
{
    for (*group = line->groups; (*group)->options; ++*group)
        for (const option *o = (*group)->options; o->name; ++o)
            if (strlen(o->name) == length && strncmp(o->name, name, length) == 0)
                return o;
    return NULL;
}

// Reads the option at argv[*index] and moves the index on to its last argument.
static toi_status read_option(const command_line *line, int argc, char **argv, int *index)
{
    const char *argument = argv[*index];
    size_t length = strcspn(argument, "=");
    const option_group *group;
    const option *o = strncmp(argument, "--", 2) == 0
                          ? find_option(line, argument + 2, length - 2, &group)
                          : NULL;
    if (!o)
        return fail_unknown(line, argument, length);
    const char *value = argument[length] == '=' ? argument + length + 1 : NULL;
    if (o->type == OPTION_FLAG)
        return value ? toi_fail(TOI_ERROR_ARGUMENT, "--%s takes no value", o->name)
                     : set_value(group, o, NULL);
    // "--out --json" is a forgotten value; "--out=--json" is not.
    if (!value && *index + 1 < argc && strncmp(argv[*index + 1], "--", 2) != 0)
        value = argv[++*index];
    if (!value)
        return toi_fail(TOI_ERROR_ARGUMENT, "--%s needs a value: --%s %s", o->name, o->name,
                        o->argument);
    return set_value(group, o, value);
}

static toi_status add_operand(const command_line *line, operand_list *found, const char *argument)
{
    if (found->count < line->most_operands) {
        found->at[found->count++] = argument;
        return TOI_OK;
    }
    return toi_fail(TOI_ERROR_ARGUMENT, "'%s' is one argument too many", argument);
}

int parse_command_line(const command_line *line, int argc, char **argv, operand_list *operands)
{
    *operands = (operand_list){.at = (const char **)argv + 1};
    if (wants_help(argc, argv)) {
        print_help(line);
        return EXIT_DONE;
    }
    toi_status status = TOI_OK;
    bool options = true;
    for (int i = 1; i < argc && status == TOI_OK; ++i) {
        if (options && strcmp(argv[i], "--") == 0)
            options = false;
        else if (options && argv[i][0] == '-' && argv[i][1])
            status = read_option(line, argc, argv, &i);
        else
            status = add_operand(line, operands, argv[i]);
    }
    return status == TOI_OK ? GO_ON : finish(status);
}

// ---------------------------------------------------------------------------------------------
// What every subcommand has

#define THREADS_AND_JSON                                                                           \
    {.name = "threads",                                                                            \
     .type = OPTION_INT,                                                                           \
     .offset = offsetof(common, threads),                                                          \
     .argument = "N",                                                                              \
     .help = "use N threads; 0, the default: all cores",                                           \
     .most = TOI_MAX_WORKERS,                                                                      \
     .range = "a whole number from 0 to 1024"},                                                    \
    {                                                                                              \
        .name = "json", .offset = offsetof(common, json),                                          \
        .help = "print one JSON object and nothing else"                                           \
    }

static_assert(TOI_MAX_WORKERS == 1024, "the range of --threads says so");

const option common_options[] = {THREADS_AND_JSON, {0}};

const option repeat_options[] = {{.name = "repeat",
                                  .type = OPTION_INT,
                                  .offset = offsetof(common, repeat),
                                  .argument = "N",
                                  .help = "run N times with buffers kept, report the fastest",
                                  .least = 1,
                                  .most = INT32_MAX,
                                  .range = "a whole number of at least 1"},
                                 {.name = "simd",
                                  .type = OPTION_CHOICE,
                                  .offset = offsetof(common, simd),
                                  .argument = "SET",
                                  .help = "use these instructions and no better ones: auto, "
                                          "baseline, avx2, avx512; the answer is the same",
                                  .choice = simd_choice},
                                 THREADS_AND_JSON,
                                 {0}};

common default_common(void)
{
    return (common){.repeat = 1};
}

const char *simd_choice(int index)
{
    static const char *const names[] = {"auto", "baseline", "avx2", "avx512"};
    return index < 4 ? names[index] : NULL;
}

toi_status apply_simd(const common *c)
{
    return toi_set_simd(c->simd > 0 ? simd_choice(c->simd) : NULL);
}

toi_status choose_names(const char *name, const char *list, const char *(*choice)(int index),
                        bool chosen[])
{
    for (int i = 0; choice(i); ++i)
        chosen[i] = !list && *choice(i);
    while (list) {
        size_t length = strcspn(list, ",");
        int found;
        toi_status status = choose_name(name, list, length, choice, &found);
        if (status != TOI_OK)
            return status;
        chosen[found] = true;
        list = list[length] ? list + length + 1 : NULL;
    }
    return TOI_OK;
}

static toi_status add_thread_count(const char *item, int threads[MOST_THREAD_COUNTS], int *count)
{
    int64_t number;
    if (!parse_integer(item, &number) || number < 0 || number > TOI_MAX_WORKERS)
        return toi_fail(TOI_ERROR_ARGUMENT, "--threads has '%s'; use whole numbers from 0 to %d",
                        item, TOI_MAX_WORKERS);
    if (number == 0)
        number = toi_default_workers();
    for (int i = 0; i < *count; ++i)
        if (threads[i] == number)
            return TOI_OK;
    if (*count == MOST_THREAD_COUNTS)
        return toi_fail(TOI_ERROR_ARGUMENT, "--threads has more than %d numbers",
                        MOST_THREAD_COUNTS);
    threads[(*count)++] = (int)number;
    return TOI_OK;
}

toi_status choose_threads(const char *list, int threads[MOST_THREAD_COUNTS], int *count)
{
    toi_status status = TOI_OK;
    *count = 0;
    while (list && status == TOI_OK) {
        size_t length = strcspn(list, ",");
        char item[24];
        snprintf(item, sizeof item, "%.*s", length < sizeof item ? (int)length : 23, list);
        status = add_thread_count(item, threads, count);
        list = list[length] ? list + length + 1 : NULL;
    }
    return status;
}

int apply_threads(const common *c)
{
    if (c->threads > 0) {
#ifdef TOI_OPENMP
        omp_set_num_threads(c->threads);
#else
        char number[16];
        snprintf(number, sizeof number, "%d", c->threads);
        setenv("OMP_NUM_THREADS", number, 1); // where the library looks
#endif
    }
    return toi_default_workers();
}
