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

// ---- Text

static toi_status print_times(const device_row *rows, int count)
{
    static const char *const titles[] = {"scene", "mode",      "positions", "median",
                                         "least", "processor", "times",     NULL,
                                         "up",    "down",      "hash"};
    const int columns = sizeof titles / sizeof *titles;
    table t = start_table(columns, 3);
    for (int i = 0; i < columns; ++i)
        add_cell(&t, words(titles[i] ? titles[i] : rows[0].what));
    for (int i = 0; i < count; ++i) {
        const device_row *row = &rows[i];
        add_cell(&t, words(row->scene));
        add_cell(&t, words(row->mode));
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

static void print_stages(const device_row *row)
{
    const toi_device_report *r = &row->report;
    printf("\n%s, %s, %s: %s pairs tested, %s left by the filters, %s by the card; %s of its "
           "memory, %s part%s\n",
           row->scene, row->mode, row->positions, count_text(r->tested[0] + r->tested[1]).at,
           count_text(r->left[0] + r->left[1]).at, count_text(r->hard).at,
           bytes_text(r->peak_bytes).at, count_text(r->windows).at, r->windows == 1 ? "" : "s");
    double sum = sum_stages(r);
    for (int i = 0; i < r->stage_count; ++i)
        printf("    %-16s%10s%6.1f %%\n", r->stage_names[i], seconds_text(r->stage_seconds[i]).at,
               sum > 0 ? 100 * r->stage_seconds[i] / sum : 0);
    if (r->stage_count > 0)
        printf("    %-16s%10s, timed one by one\n", "together", seconds_text(sum).at);
}

toi_status print_device_rows(const toi_device *device, const device_row *rows, int count)
{
    printf("%s: warm calls of a scene that is kept\n\n", toi_describe_device(device).name);
    toi_status status = print_times(rows, count);
    for (int i = 0; i < count && status == TOI_OK; ++i)
        print_stages(&rows[i]);
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

static json_t *json_device_row(const device_row *row)
{
    const toi_device_report *r = &row->report;
    return json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:i, s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:I, "
                     "s:I, s:I, s:o}",
                     "scene", row->scene, "mode", row->mode, "positions", row->positions,
                     "median_seconds", row->median_seconds, "least_seconds", row->least_seconds,
                     "cpu_seconds", row->cpu_seconds, "repeats", row->repeats, row->what,
                     (json_int_t)row->found, "hash", json_hash(row->hash), "cpu_hash",
                     json_hash(row->cpu_hash), "bytes_up", (json_int_t)r->bytes_up, "bytes_down",
                     (json_int_t)r->bytes_down, "peak_bytes", (json_int_t)r->peak_bytes, "windows",
                     (json_int_t)r->windows, "tested", (json_int_t)(r->tested[0] + r->tested[1]),
                     "left", (json_int_t)(r->left[0] + r->left[1]), "hard", (json_int_t)r->hard,
                     "stages", json_stages(r));
}

toi_status print_device_object(const toi_device *device, const device_row *rows, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; ++i)
        json_array_append_new(list, json_device_row(&rows[i]));
    return print_json(
        json_pack("{s:s, s:o}", "device", toi_describe_device(device).name, "rows", list));
}

// ---- csv

toi_status write_device_rows(const char *path, const toi_device *device, const device_row *rows,
                             int count)
{
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    fprintf(output.file,
            "device,scene,mode,positions,median_seconds,least_seconds,cpu_seconds,"
            "repeats,%s,bytes_up,bytes_down,peak_bytes,windows,tested,left,hard,"
            "hash\n",
            rows[0].what);
    for (int i = 0; i < count; ++i) {
        const device_row *row = &rows[i];
        const toi_device_report *r = &row->report;
        fprintf(output.file, "\"%s\",%s,%s,\"%s\",%.9g,%.9g,%.9g,%d",
                toi_describe_device(device).name, row->scene, row->mode, row->positions,
                row->median_seconds, row->least_seconds, row->cpu_seconds, row->repeats);
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
        fprintf(output.file, ",%s\n", hash_text(row->hash).at);
    }
    return toi_close_output(&output);
}
