// The k-free analysis in words, as a histogram, as a table and as JSON.

#include "kfree.h"

#include "table.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
    MOST_BINS = 16, // of the histogram
    BAR = 48        // letters of the longest bar
};

// A vertex with very many faces makes k grow with the root of n, which is harmless. Beyond that k
// is a share of n.
bool is_large(const toi_kfree_report *r)
{
    return r->k > 64 && r->k > 4 * sqrt((double)r->faces);
}

// ---------------------------------------------------------------------------------------------
// One mesh

static text number_text(double number)
{
    return number < 1e15 ? count_text((int64_t)number) : decimal("%.3g", number);
}

static void print_bound(const toi_kfree_report *r)
{
    double all = (double)r->faces * (double)r->faces;
    printf(
        "bound       %s pairs: 3 n k (the paper's); as far as it is proved: %s (k_near is %" PRId32
        ").\n"
        "            Against a second mesh with that k, n counts the faces of both\n",
        number_text(r->bound).at, number_text(r->proven_bound).at, r->k_near);
    if (r->bound >= all)
        printf("            there are only %s pairs at all: the bound says nothing of this mesh\n",
               number_text(all).at);
}

static void print_warning(const toi_kfree_report *r)
{
    if (!is_large(r))
        return;
    printf(
        "warning     k is %.2g of n: where k grows with the number of faces, as in Chazelle's\n"
        "            polyhedron, a quadratic number of intersections is possible, and no method\n"
        "            finds them in less than quadratic time. Split large or long faces near\n"
        "            small ones to make k smaller.\n",
        (double)r->k / (double)r->faces);
}

// 1, 2 or 5 times a power of ten, so that `most` + 1 numbers need at most MOST_BINS bins.
static int32_t bin_width(int32_t most)
{
    int64_t width = 1;
    for (int i = 0; (int64_t)most / width >= MOST_BINS; ++i)
        width = i % 3 == 1 ? width / 2 * 5 : width * 2;
    return (int32_t)width;
}

static void print_histogram(const kfree_result *r)
{
    int32_t most = r->report.k - 1, width = bin_width(most);
    int64_t bins[MOST_BINS] = {0}, highest = 1;
    for (int64_t i = 0; i < r->report.faces; ++i) {
        int64_t *bin = &bins[r->counts[i] / width];
        highest = ++*bin > highest ? *bin : highest;
    }
    printf("\n%12s  %12s\n", "count", "faces");
    for (int32_t i = 0; i <= most / width; ++i) {
        char range[32];
        if (width == 1)
            snprintf(range, sizeof range, "%" PRId32, i);
        else
            snprintf(range, sizeof range, "%" PRId32 " to %" PRId32, i * width,
                     (i + 1) * width - 1);
        int length = (int)ceil((double)BAR * (double)bins[i] / (double)highest);
        printf("%12s  %12s  %.*s\n", range, count_text(bins[i]).at, length,
               "################################################");
    }
}

static void print_worst(const kfree_result *r)
{
    printf("\nworst faces\n");
    for (int i = 0; i < r->worst_count; ++i) {
        const kfree_face *w = &r->worst[i];
        printf("%12" PRId32 "  %12" PRId32 "  at (%.6g, %.6g, %.6g)\n", w->face, w->count,
               w->centre[0], w->centre[1], w->centre[2]);
    }
}

toi_status describe_kfree(const kfree_result *r)
{
    const toi_kfree_report *k = &r->report;
    printf("%s\n", r->name);
    printf("mesh        %s vertices, %s faces\n", count_text(r->vertices).at,
           count_text(k->faces).at);
    if (k->faces == 0)
        return TOI_OK;
    printf("sizes       %.4g to %.4g: a hierarchy of height %.3g, %" PRId32 " level%s of a grid\n",
           k->least_size, k->greatest_size, k->height, k->levels, k->levels == 1 ? "" : "s");
    printf("k           %" PRId32 ": no face has more than %" PRId32 " others near it that are at "
           "least as large\n",
           k->k, k->k - 1);
    printf("counts      mean %.4g, standard deviation %.4g; faces that share a vertex: %.4g\n",
           k->mean, k->deviation, k->neighbours);
    print_bound(k);
    printf("pairs       %s of its own faces intersect; no more than %s can\n",
           count_text(r->pairs).at, count_text(k->self_bound).at);
    print_warning(k);
    printf("time        %s\n", seconds_text(k->seconds_total).at);
    printf("memory      %s working\n", bytes_text(k->peak_bytes).at);
    print_histogram(r);
    print_worst(r);
    return TOI_OK;
}

// ---------------------------------------------------------------------------------------------
// Several

static void add_titles(table *t)
{
    static const char *const titles[] = {"mesh",       "faces",  "k",     "mean",   "deviation",
                                         "neighbours", "height", "bound", "k_near", "pairs"};
    for (int i = 0; i < 10; ++i)
        add_cell(t, words(titles[i]));
}

static void add_result(table *t, const kfree_result *r)
{
    const toi_kfree_report *k = &r->report;
    add_cell(t, words(r->name));
    add_cell(t, count_text(k->faces));
    add_cell(t, count_text(k->k));
    add_cell(t, decimal("%.1f", k->mean));
    add_cell(t, decimal("%.1f", k->deviation));
    add_cell(t, decimal("%.1f", k->neighbours));
    add_cell(t, decimal("%.1f", k->height));
    add_cell(t, number_text(k->bound));
    add_cell(t, count_text(k->k_near));
    add_cell(t, count_text(r->pairs));
}

enum
{
    SUMMARISED = 6 // columns, from the faces to the height
};

static double number_in(const kfree_result *r, int column)
{
    const toi_kfree_report *k = &r->report;
    const double numbers[SUMMARISED] = {(double)k->faces, k->k,          k->mean,
                                        k->deviation,     k->neighbours, k->height};
    return numbers[column];
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// A few meshes with a great k make a mean that is like none of them: there are medians, too.
static toi_status summarise(const kfree_result *results, int count, double means[SUMMARISED],
                            double medians[SUMMARISED])
{
    double *sorted = toi_allocate((size_t)count * sizeof *sorted);
    if (!sorted)
        return TOI_ERROR_MEMORY;
    for (int j = 0; j < SUMMARISED; ++j) {
        means[j] = 0;
        for (int i = 0; i < count; ++i) {
            sorted[i] = number_in(&results[i], j);
            means[j] += sorted[i] / count;
        }
        qsort(sorted, (size_t)count, sizeof *sorted, compare_numbers);
        medians[j] = 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
    }
    toi_release(sorted);
    return TOI_OK;
}

static void add_summary(table *t, const char *name, const double numbers[SUMMARISED])
{
    add_cell(t, words(name));
    add_cell(t, count_text((int64_t)(numbers[0] + 0.5)));
    for (int j = 1; j < SUMMARISED; ++j)
        add_cell(t, decimal("%.1f", numbers[j]));
    for (int j = 0; j < 3; ++j)
        add_cell(t, words(""));
}

// Meshes of several sizes whose k keeps pace with them.
static void print_growth(const kfree_result *results, int count)
{
    const toi_kfree_report *least = &results[0].report, *most = least;
    for (int i = 1; i < count; ++i) {
        const toi_kfree_report *k = &results[i].report;
        least = k->faces < least->faces ? k : least;
        most = k->faces > most->faces ? k : most;
    }
    double n = (double)most->faces / fmax(1, (double)least->faces);
    double k = (double)most->k / fmax(1, least->k);
    if (n >= 2 && is_large(most) && k > pow(n, 0.75))
        printf(
            "\nk grows with the number of faces: %.3g times as many have a k %.3g times as large.\n"
            "Then a quadratic number of intersections is possible, as Chazelle's polyhedron "
            "shows.\n",
            n, k);
}

static void print_warnings(const kfree_result *results, int count)
{
    bool warned = false;
    for (int i = 0; i < count; ++i) {
        const toi_kfree_report *k = &results[i].report;
        if (!is_large(k))
            continue;
        printf(
            "%s%s: k is %.2g of n; a quadratic number of intersections is possible (Chazelle).\n",
            warned ? "" : "\n", results[i].name, k->k / (double)k->faces);
        warned = true;
    }
}

toi_status print_kfree_table(const kfree_result *results, int count)
{
    double means[SUMMARISED], medians[SUMMARISED];
    toi_status status = summarise(results, count, means, medians);
    if (status != TOI_OK)
        return status;
    table t = start_table(10, 1);
    add_titles(&t);
    for (int i = 0; i < count; ++i)
        add_result(&t, &results[i]);
    add_summary(&t, "mean of all", means);
    add_summary(&t, "median of all", medians);
    status = print_table(&t);
    if (status == TOI_OK) {
        print_warnings(results, count);
        print_growth(results, count);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// JSON

json_t *json_kfree(const kfree_result *r)
{
    const toi_kfree_report *k = &r->report;
    json_t *object = json_pack(
        "{s:o, s:I, s:I, s:i, s:f, s:f, s:f, s:i, s:f, s:f, s:f, s:i, s:f, s:f, s:I, "
        "s:I, s:b, s:f, s:I}",
        "mesh", json_text(r->name), "vertices", (json_int_t)r->vertices, "faces",
        (json_int_t)k->faces, "k", (int)k->k, "mean", k->mean, "deviation", k->deviation,
        "neighbours", k->neighbours, "k_near", (int)k->k_near, "least_size", k->least_size,
        "greatest_size", k->greatest_size, "height", k->height, "levels", (int)k->levels, "bound",
        k->bound, "proven_bound", k->proven_bound, "self_bound", (json_int_t)k->self_bound, "pairs",
        (json_int_t)r->pairs, "quadratic_possible", (int)is_large(k), "seconds", k->seconds_total,
        "peak_bytes", (json_int_t)k->peak_bytes);
    json_t *worst = json_array();
    for (int i = 0; i < r->worst_count; ++i)
        json_array_append_new(
            worst, json_pack("{s:i, s:i, s:[f, f, f]}", "face", (int)r->worst[i].face, "count",
                             (int)r->worst[i].count, "point", r->worst[i].centre[0],
                             r->worst[i].centre[1], r->worst[i].centre[2]));
    if (object)
        json_object_set_new(object, "worst", worst);
    else
        json_decref(worst);
    return object;
}
