// Makes the truth file of a step, block by block, and goes on with one that was stopped.

#include "truth_binary.h"

#include "truth.h"
#include "truth_dataset.h"

#include <stdio.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------
// Certificates

static toi_status fail_certificate(toi_kind kind, const toi_truth_entry *entry)
{
    return toi_fail(TOI_ERROR_UNSUPPORTED,
                    "%s %d %d: the certificate and the time of impact %a differ: a bug in this "
                    "program, please report it",
                    toi_kind_name(kind), (int)entry->pair.a, (int)entry->pair.b, entry->time);
}

static toi_status append_block(const binary_job *job, toi_kind kind, const truth_entries *found,
                               const hit_block *block, toi_exact_time **times,
                               toi_truth_writer *writer)
{
    toi_status status =
        toi_find_exact_times(kind, block->queries, block->count, job->workers, times);
    if (status != TOI_OK)
        return status;
    for (int64_t i = 0; i < block->count && status == TOI_OK; ++i) {
        const toi_truth_entry *entry = &found->at[kind][block->indices[i]];
        if (!times[i] || toi_exact_time_floor(times[i]) != entry->time ||
            toi_exact_time_is_double(times[i]) != entry->time_is_exact)
            status = fail_certificate(kind, entry);
    }
    if (status == TOI_OK)
        status = toi_append_times(writer, times, block->count);
    for (int64_t i = 0; i < block->count; ++i)
        toi_free_exact_time(times[i]);
    return status;
}

// The entry behind the first `*done` that collide; what is done of other kinds is left in it.
static int64_t skip_hits(const truth_entries *found, int kind, int64_t *done)
{
    int64_t next = 0;
    for (; next < found->counts[kind] && *done > 0; ++next)
        *done -= found->at[kind][next].hit;
    return next;
}

static toi_status append_certificates(const binary_job *job, const truth_entries *found,
                                      int64_t done, toi_truth_writer *writer)
{
    hit_block block;
    toi_exact_time **times = toi_allocate(TRUTH_BLOCK * sizeof *times);
    toi_status status = make_hit_block(&block);
    if (!times)
        status = TOI_ERROR_MEMORY;
    double all = (double)(found->hits[0] + found->hits[1]), made = (double)done;
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK; ++kind) {
        int64_t next = skip_hits(found, kind, &done);
        while (status == TOI_OK && gather_hits(job->mesh, (toi_kind)kind, found, &next, &block)) {
            status = append_block(job, (toi_kind)kind, found, &block, times, writer);
            made += (double)block.count;
            if (status == TOI_OK && !job->progress(job->progress_context, made / all))
                status = toi_fail(TOI_ERROR_CANCELLED, "%s: stopped", job->path);
        }
    }
    toi_release(times);
    free_hit_block(&block);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The file

static toi_truth_def truth_def(const binary_job *job, const truth_entries *found)
{
    toi_truth_def def = {.mesh = job->mesh, .listed = job->list};
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        def.candidates[kind] = found->candidates[kind];
        def.entries[kind] = found->at[kind];
        def.counts[kind] = found->counts[kind];
    }
    return def;
}

toi_status write_binary(const binary_job *job, const truth_entries *found, int64_t *resumed)
{
    toi_truth_def def = truth_def(job, found);
    toi_truth_writer *writer = NULL;
    toi_status status = toi_begin_truth(job->path, &def, &writer, resumed);
    if (status != TOI_OK)
        return status;
    status = append_certificates(job, found, *resumed, writer);
    if (status == TOI_OK)
        return toi_end_truth(writer);
    // What stopped the work is what to tell, whatever becomes of the rest.
    char message[512];
    snprintf(message, sizeof message, "%s", toi_last_message());
    toi_end_truth(writer);
    return toi_fail(status, "%s", message);
}

static bool same_entries(const toi_truth *truth, const truth_entries *found)
{
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        if (toi_truth_count(truth, (toi_kind)kind) != found->counts[kind] ||
            toi_truth_candidates(truth, (toi_kind)kind) != found->candidates[kind])
            return false;
        for (int64_t i = 0; i < found->counts[kind]; ++i) {
            toi_truth_entry there = toi_truth_at(truth, (toi_kind)kind, i);
            const toi_truth_entry *wanted = &found->at[kind][i];
            if (there.pair.a != wanted->pair.a || there.pair.b != wanted->pair.b ||
                there.hit != wanted->hit || there.time != wanted->time ||
                there.time_is_exact != wanted->time_is_exact)
                return false;
        }
    }
    return true;
}

toi_status look_for_binary(const binary_job *job, const truth_entries *found, bool *there)
{
    *there = false;
    if (!is_file(job->path))
        return TOI_OK;
    toi_truth *truth = NULL;
    toi_status status = toi_open_truth(job->path, &truth);
    if (status != TOI_OK) {
        char message[512];
        snprintf(message, sizeof message, "%s", toi_last_message());
        return toi_fail(status, "%s; --restart makes it anew", message);
    }
    toi_mesh mesh = toi_truth_mesh(truth);
    *there = toi_truth_listed(truth) == job->list && same_mesh(&mesh, job->mesh) &&
             same_entries(truth, found);
    toi_close_truth(truth);
    if (*there)
        return TOI_OK;
    return toi_fail(TOI_ERROR_DATA,
                    "%s: is of other frames or another list; give another --out, or --restart to "
                    "make it anew",
                    job->path);
}

toi_status forget_binary(const char *path)
{
    char part[PATH_MAX];
    if (snprintf(part, sizeof part, "%s.part", path) >= PATH_MAX)
        return toi_fail(TOI_ERROR_FILE, "%s: the name is too long", path);
    unlink(path);
    unlink(part);
    return TOI_OK;
}
