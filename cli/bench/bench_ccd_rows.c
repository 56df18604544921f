// Rows of the comparison of the whole pipeline: which belong together, and how they are written.

#include "bench_ccd_rows.h"

#include "bench_narrow_row.h"
#include "text.h"

#include <inttypes.h>
#include <string.h>

const char *ccd_mode_name(int mode)
{
    static const char *const names[CCD_MODES] = {"earliest", "all"};
    return mode < CCD_MODES ? names[mode] : NULL;
}

const char *ccd_calls_name(int calls)
{
    static const char *const names[CCD_CALLS] = {"stateless", "kept"};
    return calls < CCD_CALLS ? names[calls] : NULL;
}

const char *ccd_load_name(int load)
{
    static const char *const names[CCD_LOADS] = {"idle", "busy"};
    return load < CCD_LOADS ? names[load] : NULL;
}

text separation_text(const ccd_separation *separation)
{
    if (separation->kind == CCD_ABSOLUTE)
        return decimal("edge/%.9g", separation->parts);
    return words(separation->kind == CCD_RELATIVE ? "relative" : "none");
}

bool same_separation(const ccd_separation *a, const ccd_separation *b)
{
    return a->kind == b->kind && a->parts == b->parts;
}

// ---------------------------------------------------------------------------------------------
// Answers

bool same_ccd_mesh(const ccd_row *a, const ccd_row *b)
{
    return strcmp(a->scene, b->scene) == 0 && a->fraction == b->fraction;
}

bool same_ccd_question(const ccd_row *a, const ccd_row *b)
{
    return same_ccd_mesh(a, b) && a->mode == b->mode && a->narrow == b->narrow &&
           same_separation(&a->separation, &b->separation);
}

bool has_truth(const ccd_row *row)
{
    return row->separation.kind == CCD_TOUCHING;
}

static bool same_run(const ccd_row *a, const ccd_row *b)
{
    return same_ccd_question(a, b) && a->broad == b->broad && a->memory_limit == b->memory_limit &&
           a->threads == b->threads && a->calls == b->calls && a->load == b->load;
}

const ccd_row *find_same_run(const ccd_rows *rows, const ccd_row *row)
{
    for (int i = 0; i < rows->count; ++i)
        if (same_run(&rows->data[i], row))
            return &rows->data[i];
    return NULL;
}

const ccd_row *find_first_answer(const ccd_rows *rows, const ccd_row *row)
{
    const ccd_row *first = rows->data;
    while (!same_ccd_question(first, row))
        ++first;
    return first;
}

bool has_same_answer(const ccd_rows *rows, const ccd_row *row)
{
    return row->hash == find_first_answer(rows, row)->hash;
}

int count_wrong_answers(const ccd_rows *rows)
{
    int wrong = 0;
    for (int i = 0; i < rows->count; ++i)
        wrong += !has_same_answer(rows, &rows->data[i]);
    return wrong;
}

// ---------------------------------------------------------------------------------------------
// CSV

static const char titles[] =
    "scene,broad,narrow,mode,fraction,separation,min_separation,memory_limit,threads,calls,load,"
    "vertices,edges,faces,candidates_vf,candidates_ee,tested_vf,tested_ee,hits_vf,hits_ee,"
    "undecided,inside,earliest,"
    "false_positives,"
    "false_negatives,late,seconds_prepare,seconds_broad,seconds_narrow,seconds,median_seconds,"
    "mean_seconds,repeats,peak_bytes,hash,simd," ENVIRONMENT_TITLES;

static void write_counts(FILE *file, const ccd_row *row)
{
    const toi_ccd_report *r = &row->report;
    fprintf(file, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", r->vertices,
            r->edges, r->faces, r->candidates[TOI_VERTEX_FACE], r->candidates[TOI_EDGE_EDGE]);
    fprintf(file, "%" PRId64 ",%" PRId64 ",", r->tested[TOI_VERTEX_FACE], r->tested[TOI_EDGE_EDGE]);
    if (row->mode == CCD_ALL)
        fprintf(file, "%" PRId64 ",%" PRId64 ",%" PRId64 ",", r->hits[TOI_VERTEX_FACE],
                r->hits[TOI_EDGE_EDGE],
                r->undecided[TOI_VERTEX_FACE] + r->undecided[TOI_EDGE_EDGE]);
    else
        fprintf(file, ",,%d,", r->state == TOI_UNDECIDED);
    fprintf(file, "%" PRId64 ",", r->inside);
}

static void write_errors(FILE *file, const ccd_row *row)
{
    bool timed = finds_times(row->narrow);
    if (timed && row->report.state != TOI_SEPARATED)
        fputs(time_hex(row->report.earliest.time).at, file);
    fputc(',', file);
    if (row->mode == CCD_ALL && has_truth(row))
        fprintf(file, "%" PRId64 ",%" PRId64 ",", row->truth.false_positives,
                row->truth.false_negatives);
    else
        fputs(",,", file);
    if (timed && has_truth(row))
        fprintf(file, "%" PRId64, row->truth.late);
    fputc(',', file);
}

static void write_row_of_ccd(FILE *file, const ccd_row *row)
{
    const toi_ccd_report *r = &row->report;
    fprintf(file, "%s,%s,%s,%s,%.9g,%s,%.17g,%" PRId64 ",%d,%s,%s,", row->scene,
            toi_broad_name(row->broad), toi_narrow_name(row->narrow), ccd_mode_name((int)row->mode),
            row->fraction, separation_text(&row->separation).at, row->min_separation,
            row->memory_limit, row->threads, ccd_calls_name((int)row->calls),
            ccd_load_name((int)row->load));
    write_counts(file, row);
    write_errors(file, row);
    fprintf(file, "%.9f,%.9f,%.9f,%.9f,%.9f,%.9f,%d,%" PRId64 ",%s,%s,", r->seconds_prepare,
            r->seconds_broad, r->seconds_narrow, r->seconds_total, row->median_seconds,
            row->mean_seconds, row->repeats, r->peak_bytes, hash_text(row->hash).at,
            toi_simd_name());
    write_environment(file, this_environment());
    fputc('\n', file);
}

toi_status write_ccd_rows(const char *path, const ccd_rows *rows)
{
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    fprintf(output.file, "%s\n", titles);
    for (int i = 0; i < rows->count; ++i)
        write_row_of_ccd(output.file, &rows->data[i]);
    return toi_close_output(&output);
}
