// Rows of the comparison over many steps: which belong together, and how they are written.

#include "bench_track_rows.h"

#include "environment.h"
#include "text.h"
#include "toi/io.h"

#include <inttypes.h>
#include <string.h>

bool is_published(toi_track_method method)
{
    return method >= TOI_TRACK_FRONT;
}

bool same_track_motion(const track_row *a, const track_row *b)
{
    return strcmp(a->scene, b->scene) == 0 && a->cut == b->cut;
}

static bool same_variant(const track_variant *a, const track_variant *b)
{
    bool alike = a->method == b->method && a->threads == b->threads;
    return alike &&
           (!is_published(a->method) || (a->volume == b->volume && a->orphans == b->orphans));
}

const track_row *find_track_row(const track_rows *rows, const track_row *motion,
                                const track_variant *variant)
{
    for (int i = 0; i < rows->count; ++i)
        if (same_track_motion(&rows->data[i], motion) &&
            same_variant(&rows->data[i].variant, variant))
            return &rows->data[i];
    return NULL;
}

bool has_same_impacts(const track_rows *rows, const track_row *row)
{
    const track_row *first = rows->data;
    while (!same_track_motion(first, row))
        ++first;
    return first->hash == row->hash;
}

int count_wrong_tracks(const track_rows *rows)
{
    int wrong = 0;
    for (int i = 0; i < rows->count; ++i)
        wrong += !has_same_impacts(rows, &rows->data[i]);
    return wrong;
}

// ---------------------------------------------------------------------------------------------
// CSV

static const char titles[] =
    "scene,vertices,edges,faces,cut,steps,motion,method,volume,orphans,threads,first_seconds,"
    "mean_seconds,median_seconds,worst_seconds,seconds_refit,seconds_front,seconds_solve,bv_tests,"
    "elementary_tests,adjacent,front,sprouted,phantom,rebuilt,reordered,kept_bytes,hits_vf,hits_ee,"
    "repeats,hash,simd," ENVIRONMENT_TITLES;

static void write_variant(FILE *file, const track_variant *v)
{
    fprintf(file, "%s,", toi_track_name(v->method));
    if (is_published(v->method))
        fprintf(file, "%s,%s,", toi_volume_name(v->volume), v->orphans ? "on" : "off");
    else
        fputs(",,", file);
    fprintf(file, "%d,", v->threads);
}

static void write_means(FILE *file, const toi_track_report *r)
{
    fprintf(file, "%.9f,%.9f,%.9f,", r->seconds_refit, r->seconds_front, r->seconds_solve);
    const int64_t counts[] = {r->volume_tests, r->elementary, r->adjacent,
                              r->front,        r->sprouted,   r->phantom};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        fprintf(file, "%" PRId64 ",", counts[i]);
}

static void write_track_row(FILE *file, const track_row *row)
{
    fprintf(file, "%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%d,%d,%.9g,", row->scene, row->vertices,
            row->edges, row->faces, row->cut, row->steps, row->motion);
    write_variant(file, &row->variant);
    fprintf(file, "%.9f,%.9f,%.9f,%.9f,", row->first_seconds, row->mean_seconds,
            row->median_seconds, row->worst_seconds);
    write_means(file, &row->mean);
    fprintf(file, "%.6g,%.6g,%" PRId64 ",%" PRId64 ",%" PRId64 ",%d,%s,%s,", row->rebuilt,
            row->reordered, row->mean.kept_bytes, row->hits[TOI_VERTEX_FACE],
            row->hits[TOI_EDGE_EDGE], row->repeats, hash_text(row->hash).at, toi_simd_name());
    write_environment(file, this_environment());
    fputc('\n', file);
}

toi_status write_track_rows(const char *path, const track_rows *rows)
{
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    fprintf(output.file, "%s\n", titles);
    for (int i = 0; i < rows->count; ++i)
        write_track_row(output.file, &rows->data[i]);
    return toi_close_output(&output);
}
