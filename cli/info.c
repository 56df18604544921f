// toi info: what this build and this machine have.

#include "command.h"
#include "environment.h"
#include "failure.h"
#include "json.h"
#include "method_options.h"
#include "names.h"
#include "scenes.h"
#include "text.h"
#include "toi/device.h"
#include "toi/narrow_phase.h"

#include <stdio.h>

static json_t *guarantees(void)
{
    json_t *object = json_object();
    for (int i = 0; narrow_choice(i); ++i)
        if (*narrow_choice(i))
            json_object_set_new(
                object, narrow_choice(i),
                json_string(toi_guarantee_name(toi_narrow_guarantee((toi_narrow_method)i))));
    return object;
}

// The first card; false: none, and the message says why.
static bool describe_card(toi_device_info *info)
{
    toi_device_def def = toi_default_device_def();
    toi_device *device;
    toi_status status = toi_open_device(&def, &device);
    *info = toi_describe_device(device);
    toi_close_device(device);
    return status == TOI_OK;
}

static json_t *json_card(const toi_device_info *info)
{
    return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:I, s:I}", "name", info->name, "cards",
                     info->count, "compute", info->compute, "multiprocessors",
                     info->multiprocessors, "driver", info->driver, "runtime", info->runtime,
                     "memory", (json_int_t)info->memory, "memory_free",
                     (json_int_t)info->memory_free);
}

static toi_status print_object(int threads)
{
    const environment *here = this_environment();
    toi_device_info info;
    bool card = describe_card(&info);
    return print_json(
        json_pack("{s:s, s:o, s:s, s:o, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "version",
                  toi_version(), "commit", json_text(here->commit), "compiler", here->compiler,
                  "machine", json_text(here->machine), "simd", toi_simd_name(), "threads", threads,
                  "cuda", card ? json_card(&info) : json_null(), "cuda_missing",
                  card ? json_null() : json_text(toi_last_message()), "broad",
                  json_names(broad_choice), "narrow", json_names(narrow_choice), "guarantees",
                  guarantees(), "scenes", json_names(toi_animation_name)));
}

static void print_names(const char *label, const char *(*name)(int index))
{
    char names[NAMES_BYTES];
    join_names(names, name);
    printf("%-10s%s\n", label, names);
}

static void print_narrow(void)
{
    static const char *const meanings[TOI_GUARANTEE_COUNT] = {
        [TOI_GUARANTEE_EXACT] = "exact: never wrong, the time to the last bit",
        [TOI_GUARANTEE_CONSERVATIVE] = "conservative: never misses, never late",
        [TOI_GUARANTEE_NONE] = "none: may miss"};
    for (int i = 0; narrow_choice(i); ++i)
        if (*narrow_choice(i))
            printf("%-10s%-20s%s\n", i == 0 ? "narrow" : "", narrow_choice(i),
                   meanings[toi_narrow_guarantee((toi_narrow_method)i)]);
}

static void print_card(void)
{
    toi_device_info info;
    if (describe_card(&info))
        printf("cuda      %s, compute capability %d.%d, %s; driver for CUDA %d.%d, built with "
               "%d.%d\n",
               info.name, info.compute / 10, info.compute % 10, bytes_text(info.memory).at,
               info.driver / 1000, info.driver % 1000 / 10, info.runtime / 1000,
               info.runtime % 1000 / 10);
    else
        printf("cuda      none: %s\n", toi_last_message());
}

static void print_summary(int threads)
{
    printf("version   %s\n", toi_version());
    printf("commit    %s\n", this_environment()->commit);
    printf("compiler  %s\n", this_environment()->compiler);
    printf("machine   %s\n", this_environment()->machine);
    printf("simd      %s\n", toi_simd_name());
    printf("threads   %d\n", threads);
    print_card();
    print_names("broad", broad_choice);
    print_narrow();
    print_names("scenes", toi_animation_name);
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
