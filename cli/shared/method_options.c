// Turns options of the command line into the library's definitions.

#include "method_options.h"

#include "toi/ccd.h"

#include <float.h>
#include <stdio.h>

const char *broad_choice(int index)
{
    toi_broad_method method = (toi_broad_method)index;
    const char *name = toi_broad_name(method);
    return !name || toi_broad_traits(method) & TOI_BROAD_TRAIT_BUILT ? name : "";
}

const char *narrow_choice(int index)
{
    toi_narrow_method method = (toi_narrow_method)index;
    const char *name = toi_narrow_name(method);
    return !name || toi_narrow_traits(method) & TOI_NARROW_TRAIT_BUILT ? name : "";
}

const char *kind_choice(int index)
{
    return toi_kind_name((toi_kind)index);
}

void note_dropped_options(const char *command, const toi_narrow_def *def)
{
    toi_narrow_def fit = toi_fit_narrow_def(def);
    const struct
    {
        const char *name;
        bool dropped;
    } options[] = {{"tolerance", fit.tolerance != def->tolerance},
                   {"max-iterations", fit.max_iterations != def->max_iterations}};
    for (int i = 0; i < 2; ++i)
        if (options[i].dropped)
            fprintf(stderr, "toi %s: %s runs without --%s, which it does not honour\n", command,
                    toi_narrow_name(def->method), options[i].name);
}

const char *device_choice(int index)
{
    static const char *const names[] = {"cpu", "cuda"};
    return index < 2 ? names[index] : NULL;
}

const option broad_options[] = {
    {.name = "broad",
     .type = OPTION_CHOICE,
     .offset = offsetof(toi_ccd_def, broad.method),
     .argument = "METHOD",
     .help = "how candidate pairs are found; see 'toi info' for all methods",
     .choice = broad_choice},
    {.name = "float-boxes",
     .offset = offsetof(toi_ccd_def, float_boxes),
     .help = "compare boxes in single precision, rounded outward: a few more candidates"},
    {.name = "memory-limit",
     .type = OPTION_BYTES,
     .offset = offsetof(toi_ccd_def, memory_limit),
     .argument = "BYTES",
     .help = "most working memory, beside the mesh: 1048576, 64M, 1G",
     .least = 1,
     .most = (double)INT64_MAX,
     .range = "1 byte or more, such as 1048576, 64M or 1G"},
    {0}};

#define MIN_SEPARATION                                                                             \
    {                                                                                              \
        .name = "min-separation", .type = OPTION_NUMBER,                                           \
        .offset = offsetof(toi_narrow_def, min_separation), .argument = "D",                       \
        .help = "closer than this counts as touching", .most = DBL_MAX,                            \
        .range = "a number of at least 0"                                                          \
    }

const option separation_options[] = {MIN_SEPARATION, {0}};

const option narrow_options[] = {
    {.name = "narrow",
     .type = OPTION_CHOICE,
     .offset = offsetof(toi_narrow_def, method),
     .argument = "METHOD",
     .help = "how a pair is decided",
     .choice = narrow_choice},
    {.name = "tolerance",
     .type = OPTION_NUMBER,
     .offset = offsetof(toi_narrow_def, tolerance),
     .argument = "T",
     .help = "how close may be taken for touching, in the unit of the coordinates",
     .least = DBL_TRUE_MIN,
     .most = DBL_MAX,
     .range = "a number above 0"},
    {.name = "max-iterations",
     .type = OPTION_INT,
     .offset = offsetof(toi_narrow_def, max_iterations),
     .argument = "N",
     .help = "budget of a pair; when it runs out, the pair is undecided",
     .least = 1,
     .most = INT32_MAX,
     .range = "a whole number from 1 to 2147483647"},
    MIN_SEPARATION,
    {.name = "t-max",
     .type = OPTION_NUMBER,
     .offset = offsetof(toi_narrow_def, t_max),
     .argument = "T",
     .help = "only impacts up to this time matter",
     .most = 1,
     .range = "a number from 0 to 1"},
    {.name = "no-zero-time",
     .offset = offsetof(toi_narrow_def, no_zero_time),
     .help = "refine beyond the tolerance while the time is exactly 0"},
    {0}};
