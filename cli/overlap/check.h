// What toi check found, and how it is told.

#ifndef TOI_CLI_CHECK_H
#define TOI_CLI_CHECK_H

#include "frames.h"
#include "toi/ccd.h"
#include "toi/overlap.h"

enum
{
    MOST_FINDINGS = 16,
    MOST_PLACES = 4 // named for a finding
};

// Two parts, or one with itself, that intersect or hit each other.
typedef struct meeting
{
    int32_t parts[2];
    int64_t count;
    int64_t first; // index of the first pair, or of the earliest impact
    double time;   // of that impact
} meeting;

typedef struct meeting_list
{
    meeting *data;
    int64_t count;
} meeting_list;

// The mesh at one end of the step.
typedef struct moment
{
    toi_mesh mesh;
    const double (*points)[3];
    toi_surface_report surface;
    toi_overlap_array pairs;
    toi_overlap_report report;
    meeting_list meetings;
} moment;

// Where a finding is.
typedef struct finding_place
{
    const char *kind; // "faces", "vertices"
    int32_t ids[2];
    int id_count;
    double point[3];
    char words[160]; // "face 3 and face 7, crossing"
} finding_place;

typedef struct finding
{
    const char *name; // "degenerate_faces"
    bool error;       // else a note
    int64_t count;
    char words[200];
    finding_place places[MOST_PLACES];
    int place_count;
    const char *advice;
} finding;

// What faces and edges connect.
typedef struct mesh_part
{
    int32_t first_vertex;
    int64_t faces;
} mesh_part;

typedef struct check_result
{
    moment at[2]; // start and end
    int moments;  // 1: there is no end
    int32_t *parts; // of each vertex; -1: of none
    mesh_part *part_list;
    int32_t part_count;
    toi_impact_array impacts;
    meeting_list hits;
    finding findings[MOST_FINDINGS];
    int finding_count;
    int errors;
    double seconds;
} check_result;

typedef struct check_settings
{
    bool closed; // a border is an error
    int workers;
} check_settings;

// Looks a mesh or a step over. Free in any case.
toi_status look_over(const check_settings *s, const frames *f, bool step, check_result *r);
void free_check(check_result *r);

// Writes down the findings; part of look_over().
toi_status list_findings(const check_settings *s, check_result *r);

// On standard output.
void describe_check(const char *name, const check_result *r);
toi_status print_check_object(const char *name, const check_result *r);

#endif
