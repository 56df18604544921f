// Prints the steps of toi track and what they come to.

#include "track_report.h"

#include "chart.h"
#include "json.h"
#include "kinds.h"

#include <math.h>
#include <stdio.h>

// ---------------------------------------------------------------------------------------------
// JSON

toi_status print_step_object(const tracked_step *step, int threads)
{
    const toi_track_report *t = &step->track;
    const toi_ccd_report *r = &step->found;
    bool none = r->state == TOI_SEPARATED;
    json_t *object =
        json_pack("{s:i, s:s, s:o, s:I, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "step",
                  step->step, "method", toi_track_name(t->method), "hits", json_all_kinds(r->hits),
                  "undecided", (json_int_t)sum_kinds(r->undecided), "earliest",
                  none ? json_null() : json_real(r->earliest.time), "earliest_hex",
                  none ? json_null() : json_string(time_hex(r->earliest.time).at), "hash",
                  json_hash(step->hash), "front", (json_int_t)t->front, "bv_tests",
                  (json_int_t)t->volume_tests, "elementary_tests", (json_int_t)t->elementary,
                  "adjacent", (json_int_t)t->adjacent, "sprouted", (json_int_t)t->sprouted,
                  "phantom", (json_int_t)t->phantom);
    json_t *more = json_pack(
        "{s:o, s:b, s:b, s:f, s:f, s:f, s:I, s:i}", "seconds",
        json_pack("{s:f, s:f, s:f, s:f}", "refit", t->seconds_refit, "front", t->seconds_front,
                  "solve", t->seconds_solve, "total", t->seconds_total),
        "rebuilt", t->rebuilt, "reordered", t->reordered, "q1", t->q1, "q2", t->q2, "motion",
        step->motion, "kept_bytes", (json_int_t)t->kept_bytes, "threads", threads);
    if (object && more)
        json_object_update(object, more);
    json_decref(more);
    return print_json_line(object);
}

// ---------------------------------------------------------------------------------------------
// The table, a line as each step ends

static text short_count(int64_t count)
{
    return count == 0 ? words("0") : unit_text((double)count, "");
}

static text milliseconds(double seconds)
{
    return decimal(seconds < 0.9995 ? "%.3g" : "%.0f", 1e3 * seconds);
}

static bool is_literature(toi_track_method method)
{
    return method >= TOI_TRACK_FRONT;
}

void print_track_head(const sequence *s, const track_settings *settings)
{
    const toi_track_def *def = &settings->def;
    printf("%s\n", s->name);
    printf("mesh        %s vertices, %s edges, %s faces, %d step%s\n",
           count_text(s->mesh.start.count).at, count_text(s->edges.count).at,
           count_text(s->mesh.faces.count).at, s->steps, s->steps == 1 ? "" : "s");
    printf("method      %s", toi_track_name(def->method));
    if (is_literature(def->method))
        printf(", %s, %s orphan sets", toi_volume_name(def->volume),
               def->orphans ? "with" : "without");
    printf(", %d thread%s\n\n", settings->threads, settings->threads == 1 ? "" : "s");
    printf("%4s %-9s %7s %7s %9s %7s %7s %7s %6s %6s %6s %6s\n", "step", "method", "motion",
           "impacts", "earliest", "volumes", "pairs", "front", "bounds", "search", "solve", "ms");
}

void print_tracked_step(const tracked_step *step)
{
    const toi_track_report *t = &step->track;
    const toi_ccd_report *r = &step->found;
    const char *note = t->rebuilt ? " rebuilt" : t->reordered ? " order" : "";
    printf("%4d %-9s %7.3g %7s %9s %7s %7s %7s %6s %6s %6s %6s%s\n", step->step,
           toi_track_name(t->method), step->motion, short_count(sum_kinds(r->hits)).at,
           r->state == TOI_SEPARATED ? "none" : decimal("%.6f", r->earliest.time).at,
           short_count(t->volume_tests).at, short_count(t->elementary).at, short_count(t->front).at,
           milliseconds(t->seconds_refit).at, milliseconds(t->seconds_front).at,
           milliseconds(t->seconds_solve).at, milliseconds(t->seconds_total).at, note);
    fflush(stdout);
}

// ---------------------------------------------------------------------------------------------
// The summary

typedef struct track_sums
{
    double refit, front, solve, total; // seconds
    double worst;
    int worst_step;
    int64_t hits[TOI_KIND_COUNT];
    double volume_tests, elementary, adjacent, nodes;
    int rebuilt, reordered;
    int64_t most_nodes, most_bytes;
    uint64_t hash;
} track_sums;

static void add_step(track_sums *sums, const tracked_step *step)
{
    const toi_track_report *t = &step->track;
    sums->refit += t->seconds_refit;
    sums->front += t->seconds_front;
    sums->solve += t->seconds_solve;
    sums->total += t->seconds_total;
    if (t->seconds_total > sums->worst) {
        sums->worst = t->seconds_total;
        sums->worst_step = step->step;
    }
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        sums->hits[kind] += step->found.hits[kind];
    sums->volume_tests += (double)t->volume_tests;
    sums->elementary += (double)t->elementary;
    sums->adjacent += (double)t->adjacent;
    sums->nodes += (double)t->front;
    sums->rebuilt += t->rebuilt;
    sums->reordered += t->reordered;
    sums->most_nodes = t->front > sums->most_nodes ? t->front : sums->most_nodes;
    sums->most_bytes = t->kept_bytes > sums->most_bytes ? t->kept_bytes : sums->most_bytes;
    const uint64_t chain[] = {sums->hash, step->hash};
    sums->hash = toi_hash(chain, sizeof chain);
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static void print_times(const track_sums *sums, const tracked_step *steps, int count)
{
    double rest = sums->total - sums->refit - sums->front - sums->solve;
    printf("time        mean %s, worst %s (step %d), first %s, total %s\n",
           seconds_text(sums->total / count).at, seconds_text(sums->worst).at, sums->worst_step,
           seconds_text(steps[0].track.seconds_total).at, seconds_text(sums->total).at);
    printf("stages      bounds %.1f %%, search %.1f %%, solve %.1f %%, rest %.1f %%\n",
           percent(sums->refit, sums->total), percent(sums->front, sums->total),
           percent(sums->solve, sums->total), percent(fmax(rest, 0), sums->total));
}

static void print_kept(const track_sums *sums, toi_track_method method, int count)
{
    bool front = is_literature(method);
    if (sums->most_nodes > 0)
        printf("%s%s a step, at most %s\n",
               front ? "front       nodes: " : "budgets     pairs of blocks: ",
               count_text(llround(sums->nodes / count)).at, count_text(sums->most_nodes).at);
    printf("kept        %s at most\n", bytes_text(sums->most_bytes).at);
    printf("made anew   the %s in %d of %d steps, the %s in %d\n", front ? "front" : "budgets",
           sums->rebuilt, count, front ? "tree" : "order", sums->reordered);
}

void print_track_summary(const track_settings *settings, const tracked_step *steps, int count)
{
    track_sums sums = {.refit = 0};
    for (int i = 0; i < count; ++i)
        add_step(&sums, &steps[i]);
    printf("\nimpacts     ");
    print_kinds(sums.hits);
    printf("\n");
    print_times(&sums, steps, count);
    printf("tests       a step: %s of two volumes, %s of pairs, %s of these adjacent\n",
           count_text(llround(sums.volume_tests / count)).at,
           count_text(llround(sums.elementary / count)).at,
           count_text(llround(sums.adjacent / count)).at);
    print_kept(&sums, settings->def.method, count);
    if (settings->check)
        printf("checked     every step has the impacts of a fresh call, bit for bit\n");
    printf("hash        %s\n", hash_text(sums.hash).at);
    if (settings->impacts)
        printf("impacts     %s/step_%05d.csv ...\n", settings->impacts, steps[0].step);
}
