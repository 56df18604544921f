// What was measured on a device, as text, JSON and csv.

#include "bench_device.h"

#include "json.h"
#include "output.h"
#include "table.h"

#include <inttypes.h>
#include <stdio.h>

static double sum_stages(const toi_device_report *report)
{
    double sum = 0;
    for (int i = 0; i < report->stage_count; ++i)
        sum += report->stage_seconds[i];
    return sum;
}

// ---- Ceilings

// What a stage took at least on this card, by the slowest of what it had to do, and what that was.
typedef struct ceiling
{
    const char *name; // or ""
    double seconds;
} ceiling;

static ceiling find_ceiling(const toi_device_info *card, const toi_device_work *work)
{
    const ceiling each[] = {
        {"memory", card->memory_rate > 0 ? work->bytes / card->memory_rate : 0},
        {"bus", card->bus_rate > 0 ? work->bus_bytes / card->bus_rate : 0},
        {"issue", card->issue_rate > 0 ? work->instructions / card->issue_rate : 0}};
    ceiling most = {"", 0};
    for (int i = 0; i < 3; ++i)
        most = each[i].seconds > most.seconds ? each[i] : most;
    return most;
}

static double sum_ceilings(const toi_device_info *card, const toi_device_report *report)
{
    double sum = 0;
    for (int i = 0; i < report->stage_count; ++i)
        sum += find_ceiling(card, &report->stage_work[i]).seconds;
    return sum;
}

static double share_of(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

// ---- Text

static toi_status print_times(const device_row *rows, int count)
{
    static const char *const titles[] = {"scene", "mode",      "positions", "median",
                                         "least", "processor", "times",     NULL,
                                         "up",    "down",      "hash"};
    const int columns = sizeof titles / sizeof *titles;
    bool apart = rows[0].separation[0] != 0; // impacts have one, overlaps do not
    table t = start_table(columns + apart, 3 + apart);
    for (int i = 0; i < columns; ++i) {
        add_cell(&t, words(titles[i] ? titles[i] : rows[0].what));
        if (i == 1 && apart)
            add_cell(&t, words("separation"));
    }
    for (int i = 0; i < count; ++i) {
        const device_row *row = &rows[i];
        add_cell(&t, words(row->scene));
        add_cell(&t, words(row->mode));
        if (apart)
            add_cell(&t, words(row->separation));
        add_cell(&t, words(row->positions));
        add_cell(&t, seconds_text(row->median_seconds));
        add_cell(&t, seconds_text(row->least_seconds));
        add_cell(&t, seconds_text(row->cpu_seconds));
        add_cell(&t, decimal("%.1f", row->cpu_seconds / row->median_seconds));
        add_cell(&t, row->found > 0 ? count_text(row->found) : words(""));
        add_cell(&t, bytes_text(row->report.bytes_up));
        add_cell(&t, bytes_text(row->report.bytes_down));
        add_cell(&t, hash_text(row->hash));
    }
    return print_table(&t);
}

static void print_stage(const toi_device_info *card, const toi_device_report *r, int i, double sum)
{
    const toi_device_work *work = &r->stage_work[i];
    ceiling most = find_ceiling(card, work);
    printf("    %-16s%10s%6.1f %%", r->stage_names[i], seconds_text(r->stage_seconds[i]).at,
           100 * share_of(r->stage_seconds[i], sum));
    if (*most.name)
        printf("%12s%12s%14.3g%7.1f %% of %s", bytes_text((int64_t)work->bytes).at,
               bytes_text((int64_t)work->bus_bytes).at, work->instructions,
               100 * share_of(most.seconds, r->stage_seconds[i]), most.name);
    puts("");
}

static void print_stages(const toi_device_info *card, const device_row *row)
{
    const toi_device_report *r = &row->report;
    printf("\n%s, %s%s%s, %s: %s pairs tested, %s left by the filters, %s by the card; %s of its "
           "memory, %s part%s\n",
           row->scene, row->mode, row->separation[0] ? ", separation " : "", row->separation,
           row->positions, count_text(r->tested[0] + r->tested[1]).at,
           count_text(r->left[0] + r->left[1]).at, count_text(r->hard).at,
           bytes_text(r->peak_bytes).at, count_text(r->windows).at, r->windows == 1 ? "" : "s");
    double sum = sum_stages(r);
    if (r->stage_count == 0)
        return;
    printf("    %-16s%10s%8s%12s%12s%14s  reached\n", "stage", "time", "share", "memory", "bus",
           "instructions");
    for (int i = 0; i < r->stage_count; ++i)
        print_stage(card, r, i, sum);
    printf("    %-16s%10s, timed one by one; ", "together", seconds_text(sum).at);
    double least = sum_ceilings(card, r);
    printf("the ceilings allow %s, %.1f %% of it\n", seconds_text(least).at,
           100 * share_of(least, sum));
}

toi_status print_device_rows(const toi_device *device, const device_row *rows, int count)
{
    toi_device_info card = toi_describe_device(device);
    printf("%s: warm calls of a scene that is kept\n", card.name);
    if (card.issue_rate > 0)
        printf("at most %.0f GB/s of memory, %.0f GB/s of the bus, %.3g instructions/s\n",
               1e-9 * card.memory_rate, 1e-9 * card.bus_rate, card.issue_rate);
    puts("");
    toi_status status = print_times(rows, count);
    for (int i = 0; i < count && status == TOI_OK; ++i)
        print_stages(&card, &rows[i]);
    return status;
}

// ---- JSON

static json_t *json_stages(const toi_device_report *r)
{
    json_t *object = json_object();
    for (int i = 0; i < r->stage_count; ++i)
        json_object_set_new(object, r->stage_names[i], json_real(r->stage_seconds[i]));
    return object;
}

static json_t *json_work(const toi_device_info *card, const toi_device_report *r)
{
    json_t *object = json_object();
    for (int i = 0; i < r->stage_count; ++i) {
        const toi_device_work *work = &r->stage_work[i];
        ceiling most = find_ceiling(card, work);
        if (*most.name)
            json_object_set_new(object, r->stage_names[i],
                                json_pack("{s:f, s:f, s:f, s:s, s:f}", "bytes", work->bytes,
                                          "bus_bytes", work->bus_bytes, "instructions",
                                          work->instructions, "ceiling", most.name, "fraction",
                                          share_of(most.seconds, r->stage_seconds[i])));
    }
    return object;
}

static json_t *json_device_row(const toi_device_info *card, const device_row *row)
{
    const toi_device_report *r = &row->report;
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:i, s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:I, "
        "s:I, s:I, s:o, s:f, s:o}",
        "scene", row->scene, "mode", row->mode, "separation", row->separation, "positions",
        row->positions, "median_seconds", row->median_seconds, "least_seconds", row->least_seconds,
        "cpu_seconds", row->cpu_seconds, "repeats", row->repeats, row->what, (json_int_t)row->found,
        "hash", json_hash(row->hash), "cpu_hash", json_hash(row->cpu_hash), "bytes_up",
        (json_int_t)r->bytes_up, "bytes_down", (json_int_t)r->bytes_down, "peak_bytes",
        (json_int_t)r->peak_bytes, "windows", (json_int_t)r->windows, "tested",
        (json_int_t)(r->tested[0] + r->tested[1]), "left", (json_int_t)(r->left[0] + r->left[1]),
        "hard", (json_int_t)r->hard, "stages", json_stages(r), "ceiling_seconds",
        sum_ceilings(card, r), "work", json_work(card, r));
}

toi_status print_device_object(const toi_device *device, const device_row *rows, int count)
{
    json_t *list = json_array();
    toi_device_info card = toi_describe_device(device);
    for (int i = 0; i < count; ++i)
        json_array_append_new(list, json_device_row(&card, &rows[i]));
    return print_json(json_pack("{s:s, s:f, s:f, s:f, s:o}", "device", card.name, "memory_rate",
                                card.memory_rate, "bus_rate", card.bus_rate, "issue_rate",
                                card.issue_rate, "rows", list));
}

// ---- csv

// One column: "positions 1.4e-05 bus 0.31; boxes 8.8e-06 memory 0.05; knots 7.7e-05"
static void write_stages(FILE *file, const toi_device_info *card, const toi_device_report *r)
{
    fputs(",\"", file);
    for (int i = 0; i < r->stage_count; ++i) {
        ceiling most = find_ceiling(card, &r->stage_work[i]);
        fprintf(file, "%s%s %.3g", i > 0 ? "; " : "", r->stage_names[i], r->stage_seconds[i]);
        if (*most.name)
            fprintf(file, " %s %.3f", most.name, share_of(most.seconds, r->stage_seconds[i]));
    }
    fputs("\"", file);
}

toi_status write_device_rows(const char *path, const toi_device *device, const device_row *rows,
                             int count)
{
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    fprintf(output.file,
            "device,scene,mode,separation,positions,median_seconds,least_seconds,cpu_seconds,"
            "repeats,%s,bytes_up,bytes_down,peak_bytes,windows,tested,left,hard,"
            "ceiling_seconds,ceiling_fraction,stages,hash\n",
            rows[0].what);
    toi_device_info card = toi_describe_device(device);
    for (int i = 0; i < count; ++i) {
        const device_row *row = &rows[i];
        const toi_device_report *r = &row->report;
        fprintf(output.file, "\"%s\",%s,%s,%s,\"%s\",%.9g,%.9g,%.9g,%d", card.name, row->scene,
                row->mode, row->separation, row->positions, row->median_seconds, row->least_seconds,
                row->cpu_seconds, row->repeats);
        const int64_t numbers[] = {row->found,
                                   r->bytes_up,
                                   r->bytes_down,
                                   r->peak_bytes,
                                   r->windows,
                                   r->tested[0] + r->tested[1],
                                   r->left[0] + r->left[1],
                                   r->hard};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k)
            fprintf(output.file, ",%" PRId64, numbers[k]);
        double least = sum_ceilings(&card, r);
        fprintf(output.file, ",%.3g,%.3f", least, share_of(least, sum_stages(r)));
        write_stages(output.file, &card, r);
        fprintf(output.file, ",%s\n", hash_text(row->hash).at);
    }
    return toi_close_output(&output);
}
