// The sections of a report: what each shows, and from which measurements.

#ifndef TOI_CLI_REPORT_SECTIONS_H
#define TOI_CLI_REPORT_SECTIONS_H

#include "report_data.h"
#include "report_figures.h"

typedef struct report_section
{
    const char *name; // of its element
    const char *title;
    bool (*has_data)(const report_data *data);
    toi_status (*print)(page *p, const report_data *data);
    const char *missing; // what is not there without its data
    const char *command; // that measures it
} report_section;

enum
{
    SECTION_COUNT = 9
};

extern const report_section report_sections[SECTION_COUNT];

// What is worth knowing first.
toi_status print_glance(page *p, const report_data *data);

bool has_broad(const report_data *data);
bool has_narrow(const report_data *data);
bool has_errors(const report_data *data);
bool has_queries(const report_data *data);
bool has_threads(const report_data *data);
bool has_limits(const report_data *data);
bool has_stages(const report_data *data);
bool has_overlap(const report_data *data);
bool has_track(const report_data *data);

toi_status print_broad_section(page *p, const report_data *data);
toi_status print_narrow_section(page *p, const report_data *data);
toi_status print_errors_section(page *p, const report_data *data);
toi_status print_queries_section(page *p, const report_data *data);
toi_status print_threads_section(page *p, const report_data *data);
toi_status print_limits_section(page *p, const report_data *data);
toi_status print_stages_section(page *p, const report_data *data);
toi_status print_overlap_section(page *p, const report_data *data);
toi_status print_track_section(page *p, const report_data *data);

// ---------------------------------------------------------------------------------------------
// Shared by the sections

// How a machine is called where there are several; the subtitle is left out where there is one.
const char *machine_label(const report_data *data, int number);
void print_machine_subtitle(page *p, const report_data *data, int number);

// Which method was the fastest, or as good as that, how often.
typedef struct winner
{
    const char *name; // NULL: no scene has several methods
    int wins;
    int scenes;
    double least_ratio; // of the slowest method's time to the fastest one's in a scene
    double most_ratio;
} winner;

winner find_fastest_broad(const report_data *data, int number);

// Is the row one of a scene that methods are compared in, and not a point of a curve?
bool is_broad_contest(const broad_measurement *row);

// Was the method run with memory kept from call to call?
bool kept_its_memory(const broad_measurement *row);

// Rows of one scene start at `first`; returns where they end.
int64_t end_of_broad_scene(const report_data *data, int64_t first);
int64_t end_of_narrow_scene(const report_data *data, int64_t first);

// Of the rows of a scene: where the method of the first row of a line ends, with its tolerance;
// what the line is called in a figure; and the class of that name.
int64_t end_of_narrow_line(const narrow_measurement *rows, int64_t first, int64_t count);
text narrow_line_name(const narrow_measurement *rows, int64_t line, int64_t count);
const char *narrow_name_kind(const narrow_measurement *row);

// Curves in the making. Values that a logarithmic axis cannot show are passed over.
typedef struct curve_set
{
    curve curves[MOST_CURVES];
    int count;
    curve_point *points; // room for all that will come
    int64_t point_count;
} curve_set;

void start_curve(curve_set *set, int series);
void add_curve_point(curve_set *set, double x, double y, text note);
void print_curve_set(page *p, const figure_head *head, curve_chart *chart, const curve_set *set);

// Broad phases over the number of boxes, and over the number of threads; parts of the sections of
// the same names.
bool has_broad_scaling(const report_data *data, int number);
bool has_broad_threads(const report_data *data, int number);
toi_status print_broad_scaling(page *p, const report_data *data, int number);
toi_status print_broad_threads(page *p, const report_data *data, int number);

// A whole scene without a limit of memory.
bool is_plain_run(const ccd_measurement *row);

// The table of whole pipelines, folded.
void print_ccd_table(page *p, const ccd_measurement *const *rows, int64_t count);

// "5 rows" in words that unfold a table.
text rows_summary(int64_t count);

// Allocates pointers to rows, at least one; NULL when out of memory.
const void **allocate_row_list(int64_t count);

#endif
