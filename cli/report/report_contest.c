// Which broad phase is the fastest, scene by scene.

#include "report_sections.h"

#include <math.h>

enum
{
    MOST_METHODS = 64 // more are not told apart
};

static const double NEARLY = 1.05; // of the fastest time: less is what measurements differ by

// The best row of the method that starts at `first`, NULL if it has none to compare; `end` is where
// the method ends. Kept memory is another contest.
static const broad_measurement *best_of_method(const report_data *data, int64_t first,
                                               int64_t scene_end, int64_t *end)
{
    const broad_measurement *best = NULL;
    for (*end = first; *end < scene_end; ++*end) {
        const broad_measurement *row = &data->broad[*end];
        if (!same_name(row->method, data->broad[first].method))
            break;
        if (is_broad_contest(row) && !kept_its_memory(row) &&
            (!best || row->m.seconds < best->m.seconds))
            best = row;
    }
    return best;
}

// How often a method has won so far.
typedef struct tally
{
    const char *names[MOST_METHODS];
    int wins[MOST_METHODS];
    int count;
} tally;

static void add_win(tally *t, const char *name)
{
    int i = 0;
    while (i < t->count && !same_name(t->names[i], name))
        ++i;
    if (i == MOST_METHODS)
        return;
    if (i == t->count) {
        t->names[t->count++] = name;
        t->wins[i] = 0;
    }
    ++t->wins[i];
}

winner find_fastest_broad(const report_data *data, int number)
{
    tally wins = {.count = 0};
    winner best = {.least_ratio = INFINITY};
    for (int64_t i = 0, end; i < data->broad_count; i = end) {
        const broad_measurement *fastest = NULL, *slowest = NULL;
        end = end_of_broad_scene(data, i);
        for (int64_t k = i, next; k < end && data->broad[i].m.machine == number; k = next) {
            const broad_measurement *row = best_of_method(data, k, end, &next);
            fastest = row && (!fastest || row->m.seconds < fastest->m.seconds) ? row : fastest;
            slowest = row && (!slowest || row->m.seconds > slowest->m.seconds) ? row : slowest;
        }
        if (!fastest || fastest == slowest)
            continue; // one method alone wins nothing
        ++best.scenes;
        for (int64_t k = i, next; k < end; k = next) {
            const broad_measurement *row = best_of_method(data, k, end, &next);
            if (row && row->m.seconds <= NEARLY * fastest->m.seconds)
                add_win(&wins, row->method);
        }
        best.least_ratio = fmin(best.least_ratio, slowest->m.seconds / fastest->m.seconds);
        best.most_ratio = fmax(best.most_ratio, slowest->m.seconds / fastest->m.seconds);
    }
    for (int i = 0; i < wins.count; ++i)
        if (wins.wins[i] > best.wins) {
            best.name = wins.names[i];
            best.wins = wins.wins[i];
        }
    return best;
}
