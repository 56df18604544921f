// Tells what was made of a dataset, as text or as JSON.

#include "truth_report.h"

#include "text.h"
#include "toi/io.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------
// The binary

static toi_status count_degrees(const char *path, int64_t degrees[4])
{
    toi_truth *truth = NULL;
    toi_status status = toi_open_truth(path, &truth);
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK; ++kind)
        for (int64_t i = 0; i < toi_truth_count(truth, (toi_kind)kind) && status == TOI_OK; ++i) {
            toi_exact_time *time = NULL;
            status = toi_truth_time(truth, (toi_kind)kind, i, &time);
            if (time)
                ++degrees[toi_exact_time_degree(time)];
            toi_free_exact_time(time);
        }
    toi_close_truth(truth);
    return status;
}

static toi_status hash_file(const char *path, int64_t *bytes, uint64_t *hash)
{
    struct stat info = {0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *data = MAP_FAILED;
    if (file >= 0 && fstat(file, &info) == 0)
        data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    int error = errno;
    if (file >= 0)
        close(file);
    if (data == MAP_FAILED)
        return toi_fail_file(path, "read", error);
    *bytes = info.st_size;
    *hash = toi_hash(data, (size_t)info.st_size);
    munmap(data, (size_t)info.st_size);
    return TOI_OK;
}

toi_status describe_step(step_report *made)
{
    if (!made->binary[0])
        return TOI_OK;
    toi_status status = hash_file(made->binary, &made->bytes, &made->hash);
    if (status == TOI_OK && !made->there_already)
        status = count_degrees(made->binary, made->degrees);
    return status;
}

// ---------------------------------------------------------------------------------------------
// JSON

static json_t *step_object(const frames *f, const truth_entries *found, const step_report *made)
{
    bool none = !isfinite(found->earliest);
    json_t *object = json_pack(
        "{s:I, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:I, s:b, s:f}", "step", (json_int_t)made->number,
        "name", json_text(f->name), "vertices", (json_int_t)f->mesh.start.count, "edges",
        (json_int_t)f->mesh.edges.count, "faces", (json_int_t)f->mesh.faces.count, "candidates",
        json_kinds(found->candidates), "listed", json_kinds(found->counts), "hits",
        json_kinds(found->hits), "exact_doubles", (json_int_t)found->exact_doubles, "there_already",
        (int)made->there_already, "seconds", made->seconds);
    json_object_set_new(object, "earliest", none ? json_null() : json_real(found->earliest));
    json_object_set_new(object, "earliest_hex",
                        none ? json_null() : json_string(time_hex(found->earliest).at));
    if (!made->binary[0])
        return object;
    json_object_set_new(object, "hash", json_hash(made->hash));
    json_object_set_new(object, "bytes", json_integer(made->bytes));
    json_object_set_new(object, "resumed", json_integer(made->resumed));
    if (!made->there_already)
        json_object_set_new(object, "degrees",
                            json_pack("[I, I, I]", (json_int_t)made->degrees[1],
                                      (json_int_t)made->degrees[2], (json_int_t)made->degrees[3]));
    return object;
}

// ---------------------------------------------------------------------------------------------
// Words

static void print_binary(const truth_entries *found, const step_report *made)
{
    if (!made->there_already)
        printf("degrees     %s linear, %s quadratic, %s cubic\n", count_text(made->degrees[1]).at,
               count_text(made->degrees[2]).at, count_text(made->degrees[3]).at);
    if (made->resumed > 0)
        printf("resumed     after %s of %s certificates\n", count_text(made->resumed).at,
               count_text(found->hits[0] + found->hits[1]).at);
    printf("binary      %s, hash %s\n", bytes_text(made->bytes).at, hash_text(made->hash).at);
}

static void print_step(const frames *f, const truth_entries *found, const step_report *made)
{
    printf("step %" PRId64 ": %s%s\n", made->number, made->there_already ? "there already: " : "",
           f->name);
    printf("mesh        %s vertices, %s edges, %s faces\n", count_text(f->mesh.start.count).at,
           count_text(f->mesh.edges.count).at, count_text(f->mesh.faces.count).at);
    printf("candidates  %s vertex-face, %s edge-edge\n", count_text(found->candidates[0]).at,
           count_text(found->candidates[1]).at);
    printf("listed      %s vertex-face, %s edge-edge\n", count_text(found->counts[0]).at,
           count_text(found->counts[1]).at);
    printf("hits        %s vertex-face, %s edge-edge\n", count_text(found->hits[0]).at,
           count_text(found->hits[1]).at);
    if (isfinite(found->earliest))
        printf("earliest    %s (%.17g)\n", time_hex(found->earliest).at, found->earliest);
    else
        printf("earliest    none: the whole step is free\n");
    printf("times       %s are exactly doubles\n", count_text(found->exact_doubles).at);
    if (made->binary[0])
        print_binary(found, made);
    printf("time        %s\n\n", seconds_text(made->seconds).at);
    fflush(stdout); // the next step may take an hour
}

// ---------------------------------------------------------------------------------------------
// The report

truth_report start_truth_report(const truth_settings *s, int threads)
{
    if (!s->common.json)
        return (truth_report){0};
    json_t *steps = json_array();
    return (truth_report){.json = true,
                          .object =
                              json_pack("{s:o, s:s, s:i, s:o}", "out", json_text(s->out), "list",
                                        list_choice(s->list), "threads", threads, "steps", steps),
                          .steps = steps};
}

void report_step(truth_report *report, const frames *f, const truth_entries *found,
                 const step_report *made)
{
    if (report->json)
        json_array_append_new(report->steps, step_object(f, found, made));
    else
        print_step(f, found, made);
}

toi_status end_truth_report(truth_report *report, bool good)
{
    if (report->json && good)
        return print_json(report->object);
    json_decref(report->object);
    return TOI_OK;
}
