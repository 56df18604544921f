// toi report: the results of benchmarks as one page of plots and tables.

#include "command.h"
#include "failure.h"
#include "json.h"
#include "options.h"
#include "output.h"
#include "report_sections.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct report_options
{
    const char *out;
    const char *title;
    bool json;
} report_options;

static const option options[] = {{.name = "out",
                                  .type = OPTION_FILE,
                                  .offset = offsetof(report_options, out),
                                  .argument = "FILE.html",
                                  .help = "the page to write (default DIR/report.html)"},
                                 {.name = "title",
                                  .type = OPTION_TEXT,
                                  .offset = offsetof(report_options, title),
                                  .argument = "WORDS",
                                  .help = "what stands above it"},
                                 {.name = "json",
                                  .type = OPTION_FLAG,
                                  .offset = offsetof(report_options, json),
                                  .help = "say what was read and drawn as JSON"},
                                 {0}};

// ---------------------------------------------------------------------------------------------
// Head and foot of the page

static void print_values(page *p, const char *label, const value_list *values)
{
    for (int i = 0; i < values->count; ++i) {
        fprintf(p->o, "%s%s", i ? ", " : " · ", i ? "" : label);
        print_page_words(p, fit_words(values->at[i], 40).at);
    }
    if (values->more)
        fprintf(p->o, ", …");
}

static void print_machine(page *p, const report_data *data, int number)
{
    const machine *m = &data->machines[number];
    char day[32] = "";
    struct tm calendar;
    if (gmtime_r(&m->modified, &calendar))
        strftime(day, sizeof day, "%Y-%m-%d", &calendar);
    fprintf(p->o, "<p class='facts'><b>");
    print_page_words(p, m->name ? m->name : machine_label(data, number));
    fprintf(p->o, "</b> · files of %s", day);
    print_values(p, "", &m->compilers);
    print_values(p, "", &m->simds);
    print_values(p, "commit ", &m->commits);
    fprintf(p->o, "</p>\n");
}

static void print_contents(page *p, const report_data *data)
{
    fprintf(p->o, "<nav aria-label='Contents'>\n<a href='#glance'>At a glance</a>\n");
    for (int i = 0; i < SECTION_COUNT; ++i)
        if (report_sections[i].has_data(data))
            fprintf(p->o, "<a href='#%s'>%s</a>\n", report_sections[i].name,
                    report_sections[i].title);
    fprintf(p->o, "</nav>\n</header>\n");
}

static void print_missing(page *p, const report_data *data)
{
    bool titled = false;
    for (int i = 0; i < SECTION_COUNT; ++i) {
        const report_section *s = &report_sections[i];
        if (s->has_data(data))
            continue;
        if (!titled) {
            print_subtitle(p, "Not in this report");
            fprintf(p->o, "<ul class='quiet'>\n");
        }
        titled = true;
        fprintf(p->o, "<li data-missing='%s'>%s: <code>%s</code> measures it.</li>\n", s->name,
                s->missing, s->command);
    }
    if (titled)
        fprintf(p->o, "</ul>\n");
}

static void print_file_name(page *p, const report_file *file)
{
    print_page_words(p, file->folder);
    fprintf(p->o, "%s", *file->folder ? "/" : "");
    print_page_words(p, file->name);
}

static void print_files(page *p, const report_data *data)
{
    open_section(p, "files", "Where this comes from");
    fprintf(p->o, "<ul class='quiet'>\n");
    for (int i = 0; i < data->files.count; ++i) {
        const report_file *file = &data->files.data[i];
        fprintf(p->o, "<li>");
        print_file_name(p, file);
        if (file->kind == REPORT_UNKNOWN)
            fprintf(p->o, ": left out, its columns are not those of a benchmark</li>\n");
        else
            fprintf(p->o, ": %lld rows of toi bench %s</li>\n", (long long)file->csv.rows,
                    report_kind_name(file->kind));
    }
    fprintf(p->o, "</ul>\n");
    print_missing(p, data);
    close_section(p);
}

// ---------------------------------------------------------------------------------------------
// All of it

static toi_status print_report(page *p, const report_data *data, const char *title)
{
    open_page(p, title);
    for (int i = 0; i < data->machine_count; ++i)
        print_machine(p, data, i);
    print_contents(p, data);
    toi_status status = print_glance(p, data);
    for (int i = 0; i < SECTION_COUNT && status == TOI_OK; ++i) {
        const report_section *s = &report_sections[i];
        if (!s->has_data(data))
            continue;
        open_section(p, s->name, s->title);
        status = s->print(p, data);
        close_section(p);
    }
    print_files(p, data);
    close_page(p);
    return status;
}

// The page in memory, so that none is left half-written where memory runs out.
static toi_status print_to_memory(page *p, const report_data *data, const char *title, char **bytes,
                                  size_t *count)
{
    *p = (page){.o = open_memstream(bytes, count), .several_machines = data->machine_count > 1};
    if (!p->o)
        return toi_fail(TOI_ERROR_MEMORY, "out of memory for the page");
    toi_status status = print_report(p, data, title);
    bool failed = ferror(p->o) != 0;
    if ((fclose(p->o) != 0 || failed) && status == TOI_OK)
        status = toi_fail(TOI_ERROR_MEMORY, "out of memory for the page");
    return status;
}

static toi_status write_report(const report_data *data, const report_options *chosen, page *p)
{
    const char *title = chosen->title ? chosen->title : "Times of impact, measured";
    char *bytes = NULL;
    size_t count = 0;
    toi_output output;
    toi_status status = print_to_memory(p, data, title, &bytes, &count);
    if (status == TOI_OK)
        status = toi_open_output(chosen->out, &output);
    if (status == TOI_OK) {
        fwrite(bytes, 1, count, output.file);
        status = toi_close_output(&output);
    }
    free(bytes);
    return status;
}

static json_t *json_files(const report_data *data)
{
    json_t *list = json_array();
    for (int i = 0; i < data->files.count; ++i) {
        const report_file *file = &data->files.data[i];
        json_array_append_new(list, json_pack("{s:o, s:s, s:I}", "path", json_text(file->csv.path),
                                              "kind", report_kind_name(file->kind), "rows",
                                              (json_int_t)file->csv.rows));
    }
    return list;
}

static json_t *json_sections(const report_data *data, bool present)
{
    json_t *list = json_array();
    for (int i = 0; i < SECTION_COUNT; ++i)
        if (report_sections[i].has_data(data) == present)
            json_array_append_new(list, json_string(report_sections[i].name));
    return list;
}

static toi_status print_summary(const report_data *data, const report_options *chosen,
                                const page *p)
{
    if (chosen->json)
        return print_json(json_pack("{s:o, s:i, s:I, s:I, s:o, s:o, s:o}", "page",
                                    json_text(chosen->out), "figures", p->figures, "points",
                                    (json_int_t)p->points, "marks", (json_int_t)p->marks,
                                    "sections", json_sections(data, true), "missing",
                                    json_sections(data, false), "files", json_files(data)));
    int read = 0;
    for (int i = 0; i < data->files.count; ++i) {
        const report_file *file = &data->files.data[i];
        read += file->kind != REPORT_UNKNOWN;
        if (file->kind == REPORT_UNKNOWN)
            printf("left out  %s: not the columns of a benchmark\n", file->csv.path);
    }
    printf("read      %d file%s, %lld broad, %lld narrow, %lld ccd, %lld overlap, %lld track "
           "measurements\n",
           read, read == 1 ? "" : "s", (long long)data->broad_count, (long long)data->narrow_count,
           (long long)data->ccd_count, (long long)data->overlap_count,
           (long long)data->track_count);
    printf("drawn     %d figures, %s marks\n", p->figures, count_text(p->marks).at);
    printf("page      %s\n", chosen->out);
    return TOI_OK;
}

static toi_status make_report(const char *folder, const report_options *chosen)
{
    report_data data;
    page p;
    // First of all what there is to read: the page goes to the same folder unless told otherwise.
    toi_status status = read_report_data(folder, &data);
    if (status != TOI_OK)
        return status;
    status = write_report(&data, chosen, &p);
    if (status == TOI_OK)
        status = print_summary(&data, chosen, &p);
    free_report_data(&data);
    return status;
}

int run_report(int argc, char **argv)
{
    report_options chosen = {0};
    const option_group groups[] = {{"Options", options, &chosen}, {0}};
    const command_line line = {
        .usage = "report DIR [OPTION...]",
        .about =
            "Reads the csv files that 'toi bench' wrote ('broad', 'narrow', 'ccd', 'overlap',\n"
            "'track') to a folder and to the folders in it, one for every machine, and makes\n"
            "one page of plots and tables of them. It needs no network and no other file.",
        .examples = "report bench/results\nreport results --out report.html --title 'Our scenes'",
        .groups = groups,
        .most_operands = 1};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    if (code != GO_ON)
        return code;
    if (operands.count != 1)
        return finish(toi_fail(TOI_ERROR_ARGUMENT,
                               "which folder? Give the one that holds the csv files of toi bench"));
    char page_path[PATH_MAX];
    if (!chosen.out) {
        if (snprintf(page_path, sizeof page_path, "%s/report.html", operands.at[0]) >= PATH_MAX)
            return finish(
                toi_fail(TOI_ERROR_FILE, "%.80s...: the path is too long", operands.at[0]));
        chosen.out = page_path;
    }
    return finish(make_report(operands.at[0], &chosen));
}
