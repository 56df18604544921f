// Judges the answers of a narrow phase against the truth and adds up what they cost.

#include "bench_narrow_row.h"

#include "answers.h"

#include <math.h>

bool finds_times(toi_narrow_method method)
{
    return toi_narrow_traits(method) & TOI_NARROW_TRAIT_TIME;
}

const char *method_name(const bench_method *run)
{
    return run->other ? run->other->name : toi_narrow_name(run->method);
}

toi_guarantee method_guarantee(const bench_method *run)
{
    return run->other ? TOI_GUARANTEE_NONE : toi_narrow_guarantee(run->method);
}

bool counts_contacts(const bench_method *run)
{
    return !run->other && toi_narrow_traits(run->method) & TOI_NARROW_TRAIT_CONTACTS;
}

bool tells_times(const bench_method *run)
{
    return run->other ? !run->other->no_time : finds_times(run->method);
}

double error_bin_limit(int bin)
{
    static const double limits[ERROR_BINS] = {0,     1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12,
                                              1e-11, 1e-10, 1e-9,  1e-8,  1e-7,  1e-6,  1e-5,
                                              1e-4,  1e-3,  1e-2,  1e-1,  1};
    return limits[bin];
}

// Times lie in [0, 1], so that no error is beyond the last bin.
static int find_error_bin(double error)
{
    int bin = 0;
    while (bin < ERROR_BINS - 1 && fabs(error) > error_bin_limit(bin))
        ++bin;
    return bin;
}

static void judge_time(bench_row *row, double truth, double time)
{
    double error = truth - time;
    ++row->times;
    row->error_sum += fabs(error);
    ++row->errors[find_error_bin(error)];
    if (time > truth) {
        ++row->late;
        row->largest_late = fmax(row->largest_late, -error);
    } else {
        row->largest_early = fmax(row->largest_early, error);
    }
}

void judge_block(bench_row *row, const query_block *block)
{
    bool timed = tells_times(&row->run);
    for (int64_t i = 0; i < block->count; ++i) {
        const toi_query_result *result = &block->results[i];
        bool reported = result->state != TOI_SEPARATED;
        bool touches = isfinite(block->truth[i]);
        ++row->states[result->state];
        row->false_positives += reported && !touches;
        row->false_negatives += !reported && touches;
        row->file_answers += block->file_says[i] != FILE_SAYS_NOTHING;
        row->file_false_positives += reported && block->file_says[i] == FILE_SAYS_SEPARATED;
        row->file_false_negatives += !reported && block->file_says[i] == FILE_SAYS_HIT;
        if (timed && reported && touches)
            judge_time(row, block->truth[i], result->time);
        ++row->rungs[result->rung];
        row->rung_hits[result->rung] += reported;
    }
    row->queries += block->count;
    row->hash = hash_answers(row->hash, block->results, block->count);
}

void count_parities(bench_row *row, const query_block *block)
{
    for (int64_t i = 0; i < block->count; ++i) {
        int32_t contacts = block->results[i].contacts;
        row->odd += contacts > 0 && contacts % 2 == 1;
        row->even += contacts > 0 && contacts % 2 == 0;
    }
}

void merge_row(bench_row *sum, const bench_row *row)
{
    uint64_t chain[2] = {sum->hash, row->hash};
    sum->queries += row->queries;
    sum->seconds += row->seconds;
    sum->median_seconds += row->median_seconds;
    if (sum->repeats == 0 || (row->repeats > 0 && row->repeats < sum->repeats))
        sum->repeats = row->repeats;
    for (int i = 0; i < TOI_STATE_COUNT; ++i)
        sum->states[i] += row->states[i];
    sum->false_positives += row->false_positives;
    sum->false_negatives += row->false_negatives;
    sum->file_answers += row->file_answers;
    sum->file_false_positives += row->file_false_positives;
    sum->file_false_negatives += row->file_false_negatives;
    sum->odd += row->odd;
    sum->even += row->even;
    sum->times += row->times;
    sum->late += row->late;
    sum->largest_late = fmax(sum->largest_late, row->largest_late);
    sum->largest_early = fmax(sum->largest_early, row->largest_early);
    sum->error_sum += row->error_sum;
    for (int i = 0; i < ERROR_BINS; ++i)
        sum->errors[i] += row->errors[i];
    for (int i = 0; i < TOI_RUNG_COUNT; ++i) {
        sum->rungs[i] += row->rungs[i];
        sum->rung_hits[i] += row->rung_hits[i];
    }
    sum->hash = toi_hash(chain, sizeof chain);
}

double row_nanoseconds(const bench_row *row)
{
    return row->queries > 0 ? 1e9 * row->seconds / (double)row->queries : 0;
}

double row_mean_error(const bench_row *row)
{
    return row->times > 0 ? row->error_sum / (double)row->times : 0;
}
