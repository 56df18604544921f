// Prints the comparison over many steps: the published figures, and cost against motion.

#include "bench_track_report.h"

#include "chart.h"
#include "json.h"
#include "table.h"

#include <stdio.h>
#include <string.h>

text variant_text_of_track(const track_variant *variant)
{
    text name = words(toi_track_name(variant->method));
    size_t used = strlen(name.at);
    if (is_published(variant->method) && variant->volume == TOI_VOLUME_BOX)
        used += (size_t)snprintf(name.at + used, sizeof name.at - used, " box");
    if (!variant->orphans)
        snprintf(name.at + used, sizeof name.at - used, ", no orphans");
    return name;
}

static text short_count(int64_t count)
{
    return count == 0 ? words("0") : unit_text((double)count, "");
}

// ---------------------------------------------------------------------------------------------
// The motion as it is

// The plain search of the same motion by as many threads; NULL: not measured.
static const track_row *find_stateless(const track_rows *rows, const track_row *row)
{
    track_variant plain = {TOI_TRACK_STATELESS, row->variant.volume, true, row->variant.threads};
    return find_track_row(rows, row, &plain);
}

static text share_text(double part, double whole)
{
    return whole > 0 ? decimal("%.0f %%", 100 * part / whole) : words("-");
}

static void add_method_line(table *t, const track_rows *rows, const track_row *row)
{
    const track_row *plain = find_stateless(rows, row);
    add_cell(t, variant_text_of_track(&row->variant));
    add_cell(t, count_text(row->variant.threads));
    add_cell(t, seconds_text(row->mean_seconds));
    add_cell(t, plain ? share_text(row->mean_seconds, plain->mean_seconds) : words("-"));
    add_cell(t, seconds_text(row->worst_seconds));
    add_cell(t, seconds_text(row->first_seconds));
    add_cell(t, short_count(row->mean.volume_tests));
    add_cell(t, short_count(row->mean.elementary));
    add_cell(t, short_count(row->mean.front));
    add_cell(t, bytes_text(row->mean.kept_bytes));
    add_cell(t, share_text(row->rebuilt, 1));
    add_cell(t, hash_text(row->hash));
    add_cell(t, words(has_same_impacts(rows, row) ? "same" : "WRONG"));
}

static toi_status print_methods(const track_rows *rows, const track_row *motion)
{
    static const char *const titles[] = {"method",    "threads", "a step", "of stateless", "worst",
                                         "the first", "volumes", "pairs",  "front",        "kept",
                                         "rebuilt",   "hash",    "impacts"};
    enum
    {
        COLUMNS = sizeof titles / sizeof *titles
    };
    table t = start_table(COLUMNS, 2);
    for (int i = 0; i < COLUMNS; ++i)
        add_cell(&t, words(titles[i]));
    for (int i = 0; i < rows->count; ++i)
        if (same_track_motion(&rows->data[i], motion))
            add_method_line(&t, rows, &rows->data[i]);
    return print_table(&t);
}

static double change_percent(double now, double before)
{
    return before > 0 ? 100 * (now / before - 1) : 0;
}

// The rows of two variants of a motion; false where one was not measured.
static bool find_both(const track_rows *rows, const track_row *motion, track_variant a,
                      track_variant b, const track_row *found[2])
{
    found[0] = find_track_row(rows, motion, &a);
    found[1] = find_track_row(rows, motion, &b);
    return found[0] && found[1];
}

static void print_front_gain(const track_rows *rows, const track_row *motion)
{
    for (int i = 0; i < TOI_VOLUME_COUNT; ++i) {
        const track_row *both[2];
        toi_volume volume = (toi_volume)i;
        if (find_both(rows, motion, (track_variant){TOI_TRACK_FRONT, volume, true, 1},
                      (track_variant){TOI_TRACK_SERIAL, volume, true, 1}, both))
            printf("front instead of serial traversal, %s: tests of volumes %+.1f %%, time %+.1f "
                   "%%\n  (figure 7: -37 to -47 %%, -12 to -21 %%)\n",
                   toi_volume_name(volume),
                   change_percent((double)both[0]->mean.volume_tests,
                                  (double)both[1]->mean.volume_tests),
                   change_percent(both[0]->mean_seconds, both[1]->mean_seconds));
    }
}

static void print_orphan_gain(const track_rows *rows, const track_row *motion)
{
    for (int i = 0; i < TOI_VOLUME_COUNT; ++i) {
        const track_row *both[2];
        int threads = motion->variant.threads;
        track_variant with = {TOI_TRACK_FRONT, (toi_volume)i, true, threads}, without = with;
        without.orphans = false;
        if (find_both(rows, motion, with, without, both))
            printf("orphan sets: front %+.1f %%, tests of adjacent faces %+.2f %%, time %+.1f %%\n"
                   "  (figure 9: front -20 to -40 %%, time down to -17 %%)\n",
                   change_percent((double)both[0]->mean.front, (double)both[1]->mean.front),
                   change_percent((double)both[0]->mean.adjacent, (double)both[1]->mean.adjacent),
                   change_percent(both[0]->mean_seconds, both[1]->mean_seconds));
    }
}

// ---------------------------------------------------------------------------------------------
// Threads

static bool has_thread(const int *threads, int count, int wanted)
{
    for (int i = 0; i < count; ++i)
        if (threads[i] == wanted)
            return true;
    return false;
}

// The numbers of threads of a motion, but for serial, which has one whatever was asked for.
static int list_thread_counts(const track_rows *rows, const track_row *motion, int threads[16])
{
    int count = 0;
    for (int i = 0; i < rows->count && count < 16; ++i) {
        const track_row *row = &rows->data[i];
        if (same_track_motion(row, motion) && row->variant.method != TOI_TRACK_SERIAL &&
            !has_thread(threads, count, row->variant.threads))
            threads[count++] = row->variant.threads;
    }
    return count;
}

static text speedup_text(const track_rows *rows, const track_row *one, int threads)
{
    track_variant variant = one->variant;
    variant.threads = threads;
    const track_row *row = find_track_row(rows, one, &variant);
    return row ? decimal("%.2f", one->mean_seconds / row->mean_seconds) : words("-");
}

static void add_front_ratio(table *t, const track_rows *rows, const track_row *motion,
                            const int *threads, int count)
{
    const track_row *both[2];
    add_cell(t, words("front / phc, time"));
    for (int i = 0; i < count; ++i) {
        bool found = find_both(
            rows, motion, (track_variant){TOI_TRACK_FRONT, TOI_VOLUME_DOP18, true, threads[i]},
            (track_variant){TOI_TRACK_PHC, TOI_VOLUME_DOP18, true, threads[i]}, both);
        add_cell(t, found ? decimal("%.2f", both[0]->mean_seconds / both[1]->mean_seconds)
                          : words("-"));
    }
}

static toi_status print_speedups(const track_rows *rows, const track_row *motion)
{
    int threads[16];
    int count = list_thread_counts(rows, motion, threads);
    if (count < 2)
        return TOI_OK;
    printf("\nspeedup over %d thread%s (figures 4 and 13: phc 3.7 to 5.1, front 10.1 to 13 on 16 "
           "cores;\nfigure 12: front takes 0.52 of phc's time there)\n",
           threads[0], threads[0] == 1 ? "" : "s");
    table t = start_table(count + 1, 1);
    add_cell(&t, words("method"));
    for (int i = 0; i < count; ++i)
        add_cell(&t, decimal("%.0f", threads[i]));
    for (int i = 0; i < rows->count; ++i) {
        const track_row *row = &rows->data[i];
        if (!same_track_motion(row, motion) || row->variant.threads != threads[0] ||
            row->variant.method == TOI_TRACK_SERIAL || !row->variant.orphans)
            continue;
        add_cell(&t, variant_text_of_track(&row->variant));
        for (int k = 0; k < count; ++k)
            add_cell(&t, speedup_text(rows, row, threads[k]));
    }
    add_front_ratio(&t, rows, motion, threads, count);
    return print_table(&t);
}

// ---------------------------------------------------------------------------------------------
// Cost against motion

enum
{
    MOST_MOTIONS = 16
};

static bool is_new_motion(const track_rows *rows, int index)
{
    for (int i = 0; i < index; ++i)
        if (same_track_motion(&rows->data[i], &rows->data[index]))
            return false;
    return true;
}

static int list_cuts(const track_rows *rows, const track_row *motion,
                     const track_row *cuts[MOST_MOTIONS])
{
    int count = 0;
    for (int i = 0; i < rows->count && count < MOST_MOTIONS; ++i)
        if (rows->data[i].cut > 0 && strcmp(rows->data[i].scene, motion->scene) == 0 &&
            is_new_motion(rows, i))
            cuts[count++] = &rows->data[i];
    return count;
}

static void add_cut_cell(table *t, const track_rows *rows, const track_row *cut,
                         const track_variant *variant)
{
    const track_row *row = find_track_row(rows, cut, variant);
    const track_row *plain = row ? find_stateless(rows, row) : NULL;
    char cell[2 * sizeof(text) + 4] = "-";
    if (row && plain)
        snprintf(cell, sizeof cell, "%s (%s)", seconds_text(row->mean_seconds).at,
                 share_text(row->mean_seconds, plain->mean_seconds).at);
    else if (row)
        snprintf(cell, sizeof cell, "%s", seconds_text(row->mean_seconds).at);
    add_cell(t, words(cell));
}

static toi_status print_cuts(const track_rows *rows, const track_row *motion)
{
    const track_row *cuts[MOST_MOTIONS];
    int count = list_cuts(rows, motion, cuts);
    if (count == 0)
        return TOI_OK;
    printf("\nthe last step cut into parts, %d of them: time a part, and of stateless\n",
           cuts[0]->steps);
    table t = start_table(count + 1, 1);
    add_cell(&t, words("parts"));
    for (int i = 0; i < count; ++i)
        add_cell(&t, count_text(cuts[i]->cut));
    add_cell(&t, words("motion, edges"));
    for (int i = 0; i < count; ++i)
        add_cell(&t, decimal("%.3g", cuts[i]->motion));
    for (int i = 0; i < rows->count; ++i) {
        const track_row *row = &rows->data[i];
        if (!same_track_motion(row, cuts[0]))
            continue;
        add_cell(&t, variant_text_of_track(&row->variant));
        for (int k = 0; k < count; ++k)
            add_cut_cell(&t, rows, cuts[k], &row->variant);
    }
    return print_table(&t);
}

// ---------------------------------------------------------------------------------------------
// Table 2

static const struct
{
    const char *name;
    double faces;
    double serial; // seconds a step
    double front;  // on 16 cores
} published[] = {{"Princess", 40e3, 55e-3, 5.3e-3},
                 {"Flamenco", 49e3, 350e-3, 27e-3},
                 {"N-body", 34e3, 117e-3, 11.6e-3},
                 {"Cloth-ball", 92e3, 340e-3, 32.5e-3},
                 {"BART", 4e3, 212e-3, 20.4e-3}};

enum
{
    FLAMENCO = 1
};

static void add_latency(table *t, const char *scene, const char *what, int threads, double faces,
                        double seconds)
{
    double slowest = published[FLAMENCO].serial / published[FLAMENCO].faces;
    add_cell(t, words(scene));
    add_cell(t, count_text((int64_t)faces));
    add_cell(t, words(what));
    add_cell(t, count_text(threads));
    add_cell(t, seconds_text(seconds));
    add_cell(t, decimal("%.0f ns", 1e9 * seconds / faces));
    add_cell(t, decimal("%.1f", slowest * faces / seconds));
}

// The methods that the paper's table has, and what the library chooses, by the least and the most
// threads.
static bool is_latency(const track_rows *rows, const track_row *row)
{
    int threads[16], count = list_thread_counts(rows, row, threads);
    toi_track_method method = row->variant.method;
    bool shown = method == TOI_TRACK_AUTO || method == TOI_TRACK_STATELESS ||
                 method == TOI_TRACK_FRONT || method == TOI_TRACK_SERIAL;
    int least = count > 0 ? threads[0] : 1, most = least;
    for (int i = 0; i < count; ++i) {
        least = threads[i] < least ? threads[i] : least;
        most = threads[i] > most ? threads[i] : most;
    }
    return row->cut == 0 && row->variant.orphans && shown &&
           (row->variant.threads == least || row->variant.threads == most);
}

// Whole steps beside those of the paper, which were measured on other scenes and machines.
static toi_status print_latencies(const track_rows *rows)
{
    static const char *const titles[] = {"scene",  "faces",  "method",    "threads",
                                         "a step", "a face", "x Flamenco"};
    printf(
        "\nWhole steps beside those of table 2, which are of other scenes and machines; the last "
        "column:\nhow many times faster than Flamenco's serial step, a face\n");
    table t = start_table(7, 1);
    for (int i = 0; i < 7; ++i)
        add_cell(&t, words(titles[i]));
    for (size_t i = 0; i < sizeof published / sizeof *published; ++i) {
        add_latency(&t, published[i].name, "paper, serial", 1, published[i].faces,
                    published[i].serial);
        add_latency(&t, published[i].name, "paper, front", 16, published[i].faces,
                    published[i].front);
    }
    for (int i = 0; i < rows->count; ++i) {
        const track_row *row = &rows->data[i];
        if (is_latency(rows, row))
            add_latency(&t, row->scene, variant_text_of_track(&row->variant).at,
                        row->variant.threads, (double)row->faces, row->mean_seconds);
    }
    return print_table(&t);
}

toi_status print_track_rows(const track_rows *rows)
{
    toi_status status = TOI_OK;
    for (int i = 0; i < rows->count && status == TOI_OK; ++i) {
        const track_row *motion = &rows->data[i];
        if (motion->cut > 0 || !is_new_motion(rows, i))
            continue;
        printf("%s%s: %s faces, %d step%s, a vertex moves %.3g edges in each\n", i > 0 ? "\n" : "",
               motion->scene, count_text(motion->faces).at, motion->steps,
               motion->steps == 1 ? "" : "s", motion->motion);
        status = print_methods(rows, motion);
        print_front_gain(rows, motion);
        print_orphan_gain(rows, motion);
        if (status == TOI_OK)
            status = print_speedups(rows, motion);
        if (status == TOI_OK)
            status = print_cuts(rows, motion);
    }
    return status == TOI_OK ? print_latencies(rows) : status;
}

// ---------------------------------------------------------------------------------------------
// JSON

static json_t *row_object(const track_row *row)
{
    const track_variant *v = &row->variant;
    const toi_track_report *r = &row->mean;
    bool published_one = is_published(v->method);
    json_t *object = json_pack(
        "{s:o, s:I, s:I, s:i, s:i, s:f, s:s, s:o, s:o, s:i, s:o, s:i, s:o}", "scene",
        json_text(row->scene), "vertices", (json_int_t)row->vertices, "faces",
        (json_int_t)row->faces, "cut", row->cut, "steps", row->steps, "motion", row->motion,
        "method", toi_track_name(v->method), "volume",
        published_one ? json_string(toi_volume_name(v->volume)) : json_null(), "orphans",
        published_one ? json_boolean(v->orphans) : json_null(), "threads", v->threads, "hits",
        json_all_kinds(row->hits), "repeats", row->repeats, "hash", json_hash(row->hash));
    json_t *seconds =
        json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "first", row->first_seconds, "mean",
                  row->mean_seconds, "median", row->median_seconds, "worst", row->worst_seconds,
                  "refit", r->seconds_refit, "front", r->seconds_front, "solve", r->seconds_solve);
    json_t *counts = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:I}", "bv_tests", (json_int_t)r->volume_tests,
        "elementary_tests", (json_int_t)r->elementary, "adjacent", (json_int_t)r->adjacent, "front",
        (json_int_t)r->front, "sprouted", (json_int_t)r->sprouted, "phantom",
        (json_int_t)r->phantom, "rebuilt", row->rebuilt, "reordered", row->reordered, "kept_bytes",
        (json_int_t)r->kept_bytes);
    if (object && counts)
        json_object_update(object, counts);
    json_decref(counts);
    if (object)
        json_object_set_new(object, "seconds", seconds);
    return object;
}

toi_status print_track_object(const track_rows *rows)
{
    json_t *list = json_array();
    for (int i = 0; i < rows->count; ++i)
        json_array_append_new(list, row_object(&rows->data[i]));
    return print_json(json_pack("{s:o}", "rows", list));
}
