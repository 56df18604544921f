// toi sdf query: a field's values and gradients at points.

#include "sdf.h"

#include "failure.h"
#include "field_text.h"
#include "json.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "sdf_points.h"
#include "text.h"

#include <stdio.h>

typedef struct settings
{
    common common;
    const char *points;
    const char *out;
} settings;

static const option query_options[] = {
    {.name = "points",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, points),
     .argument = "FILE.csv",
     .help = "x,y,z a line; a first line of names is passed over"},
    {.name = "out",
     .type = OPTION_FILE,
     .offset = offsetof(settings, out),
     .argument = "FILE.csv",
     .help = "write value,gx,gy,gz a line, in the order of the points, with a first line of names "
             "if the points have one; unless given they are printed"},
    {0}};

typedef struct answer
{
    toi_field *field;
    point_list points;
    double *values;
    double (*gradients)[3];
    double seconds; // of the fastest run
    uint64_t hash;
} answer;

static toi_status evaluate(const settings *s, int threads, answer *a)
{
    size_t count = (size_t)a->points.count;
    a->values = toi_allocate(count * sizeof *a->values);
    a->gradients = toi_allocate(count * sizeof *a->gradients);
    if (!a->values || !a->gradients)
        return TOI_ERROR_MEMORY;
    toi_status status = TOI_OK;
    for (int run = 0; run < s->common.repeat && status == TOI_OK; ++run) {
        double begin = seconds_spent(threads);
        status = toi_evaluate_field(a->field,
                                    toi_view_points((const double *)a->points.at, (int64_t)count),
                                    threads, a->values, (double *)a->gradients);
        double seconds = seconds_spent(threads) - begin;
        a->seconds = run == 0 || seconds < a->seconds ? seconds : a->seconds;
    }
    const uint64_t hashes[] = {toi_hash(a->values, count * sizeof *a->values),
                               toi_hash(a->gradients, count * sizeof *a->gradients)};
    a->hash = toi_hash(hashes, sizeof hashes);
    return status;
}

static void print_rows(FILE *file, const answer *a)
{
    if (a->points.titled)
        fputs("value,gx,gy,gz\n", file);
    for (int64_t i = 0; i < a->points.count; ++i)
        fprintf(file, "%.17g,%.17g,%.17g,%.17g\n", a->values[i], a->gradients[i][0],
                a->gradients[i][1], a->gradients[i][2]);
}

static toi_status write_rows(const char *path, const answer *a)
{
    toi_output output;
    toi_status status = path ? toi_open_output(path, &output) : TOI_OK;
    if (status != TOI_OK || !path)
        return status;
    print_rows(output.file, a);
    return toi_close_output(&output);
}

static int64_t count_inside(const answer *a)
{
    int64_t inside = 0;
    for (int64_t i = 0; i < a->points.count; ++i)
        inside += a->values[i] <= 0;
    return inside;
}

// The place of the least value; -1 without points.
static int64_t find_least(const answer *a)
{
    int64_t least = a->points.count > 0 ? 0 : -1;
    for (int64_t i = 1; i < a->points.count; ++i)
        if (a->values[i] < a->values[least])
            least = i;
    return least;
}

static toi_status print_object(const answer *a, int threads)
{
    toi_field_facts facts = toi_describe_field(a->field);
    int64_t least = find_least(a);
    return print_json(json_pack(
        "{s:s, s:f, s:f, s:i, s:I, s:I, s:o, s:f, s:o}", "kind", facts.kind, "lipschitz",
        facts.lipschitz, "error", facts.error, "threads", threads, "points",
        (json_int_t)a->points.count, "inside", (json_int_t)count_inside(a), "least",
        least < 0 ? json_null()
                  : json_pack("{s:I, s:f}", "point", (json_int_t)least, "value", a->values[least]),
        "seconds", a->seconds, "hash", json_hash(a->hash)));
}

static void print_summary(const settings *s, const char *name, const answer *a, int threads)
{
    toi_field_facts facts = toi_describe_field(a->field);
    int64_t least = find_least(a);
    printf("%s\n", name);
    printf("field   %s, differences at most %.9g times the distance\n", facts.kind,
           facts.lipschitz);
    if (facts.error > 0)
        printf("        within %.3g of the mesh's own distance\n", facts.error);
    printf("points  %s, %s of them inside\n", count_text(a->points.count).at,
           count_text(count_inside(a)).at);
    if (least >= 0)
        printf("least   %.17g at point %lld\n", a->values[least], (long long)least);
    printf("time    %s, %d thread%s\n", seconds_text(a->seconds).at, threads,
           threads == 1 ? "" : "s");
    printf("hash    %s\n", hash_text(a->hash).at);
    printf("file    %s\n", s->out);
}

static toi_status report(const settings *s, const char *name, const answer *a, int threads)
{
    if (s->common.json)
        return print_object(a, threads);
    if (s->out)
        print_summary(s, name, a, threads);
    else
        print_rows(stdout, a);
    return TOI_OK;
}

static toi_status check_arguments(const settings *s, const operand_list *operands)
{
    if (operands->count == 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "a field is needed, FIELD");
    if (!s->points)
        return toi_fail(TOI_ERROR_ARGUMENT, "points are needed, --points FILE.csv");
    return check_output(s->out);
}

static toi_status run(const settings *s, const operand_list *operands)
{
    answer a = {0};
    int threads = apply_threads(&s->common);
    toi_status status = check_arguments(s, operands);
    if (status == TOI_OK)
        status = apply_simd(&s->common);
    if (status == TOI_OK)
        status = parse_field(operands->at[0], threads, &a.field);
    if (status == TOI_OK)
        status = read_points(s->points, &a.points);
    if (status == TOI_OK)
        status = evaluate(s, threads, &a);
    if (status == TOI_OK)
        status = write_rows(s->out, &a);
    if (status == TOI_OK)
        status = report(s, operands->at[0], &a, threads);
    toi_release(a.values);
    toi_release(a.gradients);
    free_points(&a.points);
    toi_free_field(a.field);
    return status;
}

int run_sdf_query(int argc, char **argv)
{
    settings s = {.common = default_common()};
    const option_group groups[] = {
        {"Points", query_options, &s}, {"Common", repeat_options, &s.common}, {0}};
    char about[1200];
    snprintf(about, sizeof about,
             "The value of a field (negative inside) and its gradient at every point of a\n"
             "file, as value,gx,gy,gz. The hash is XXH64 of all of them.\n\n%s",
             field_help);
    const command_line line = {.usage = "sdf query FIELD --points FILE.csv [OPTION...]",
                               .about = about,
                               .examples = "sdf query torus:0.11,0.04 --points points.csv\n"
                                           "sdf query bunny.sdf@0,0,1 --points points.csv "
                                           "--out values.csv",
                               .groups = groups,
                               .most_operands = 1};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}
