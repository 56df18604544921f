// What the sections of a report share: names of machines, summaries, lists of rows.

#include "report_sections.h"

const report_section report_sections[SECTION_COUNT] = {
    {"broad", "Broad phases", has_broad, print_broad_section, "time and memory of the broad phases",
     "toi bench broad --all-scenes --csv DIR/broad.csv"},
    {"narrow", "Narrow phases", has_narrow, print_narrow_section,
     "cost and mistakes of the narrow phases",
     "toi bench narrow START END --csv DIR/narrow-NAME.csv"},
    {"errors", "Error of the time", has_errors, print_errors_section, "the error of the time",
     "toi bench narrow START END --csv DIR/narrow-NAME.csv"},
    {"queries", "Time over the number of queries", has_queries, print_queries_section,
     "time over the number of queries",
     "toi bench ccd --all-scenes --fractions 0.1,0.3,1 --csv DIR/ccd-queries.csv"},
    {"threads", "Threads", has_threads, print_threads_section, "time over the number of threads",
     "toi bench ccd --all-scenes --threads 1,2,4,0 --csv DIR/ccd-threads.csv"},
    {"memory", "Limit of memory", has_limits, print_limits_section, "time over the limit of memory",
     "toi bench ccd --all-scenes --memory-limits 16M,64M,none --csv DIR/ccd-memory.csv"},
    {"stages", "Share of each stage", has_stages, print_stages_section, "the share of each stage",
     "toi bench ccd --all-scenes --csv DIR/ccd-stages.csv"},
    {"overlap", "Intersecting faces", has_overlap, print_overlap_section,
     "the search for intersecting faces", "toi bench overlap --scaling --csv DIR/overlap.csv"},
    {"track", "Step after step", has_track, print_track_section,
     "what remembering from step to step saves", "toi bench track --csv DIR/track.csv"}};

const char *machine_label(const report_data *data, int number)
{
    const machine *of = &data->machines[number];
    if (*of->folder)
        return of->folder;
    return of->name ? of->name : "this folder";
}

void print_machine_subtitle(page *p, const report_data *data, int number)
{
    if (data->machine_count == 1)
        return;
    fprintf(p->o, "<h3 class='machine'>");
    print_page_words(p, machine_label(data, number));
    fprintf(p->o, "</h3>\n");
}

text rows_summary(int64_t count)
{
    return compose("The data: %s row%s", count_text(count).at, count == 1 ? "" : "s");
}

const void **allocate_row_list(int64_t count)
{
    return toi_allocate(((size_t)count + 1) * sizeof(void *));
}
