// toi info: what this build and this machine have.

#include "command.h"
#include "failure.h"
#include "json.h"
#include "method_options.h"
#include "scenes.h"
#include "text.h"

#include <stdio.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

static toi_status print_object(int threads)
{
    return print_json(json_pack(
        "{s:s, s:s, s:s, s:i, s:n, s:o, s:o, s:o}", "version", toi_version(), "compiler", COMPILER,
        "simd", toi_simd_name(), "threads", threads, "cuda", "broad", json_names(broad_choice),
        "narrow", json_names(narrow_choice), "scenes", json_names(toi_scene_name)));
}

static void print_names(const char *label, const char *(*name)(int index))
{
    char names[NAMES_BYTES];
    join_names(names, name);
    printf("%-10s%s\n", label, names);
}

static void print_summary(int threads)
{
    printf("version   %s\n", toi_version());
    printf("compiler  %s\n", COMPILER);
    printf("simd      %s\n", toi_simd_name());
    printf("threads   %d\n", threads);
    printf("cuda      none in this build\n");
    print_names("broad", broad_choice);
    print_names("narrow", narrow_choice);
    print_names("scenes", toi_scene_name);
}

int run_info(int argc, char **argv)
{
    common c = default_common();
    const option_group groups[] = {{"Common", common_options, &c}, {0}};
    const command_line line = {.usage = "info [OPTION...]",
                               .about =
                                   "Shows the version, what it was built with, what it runs on, "
                                   "and all methods.",
                               .examples = "info\ninfo --json",
                               .groups = groups};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    if (code != GO_ON)
        return code;
    int threads = apply_threads(&c);
    if (c.json)
        return finish(print_object(threads));
    print_summary(threads);
    return EXIT_DONE;
}
