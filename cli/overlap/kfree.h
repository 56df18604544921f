// What the k-free analysis of one mesh found, and how it is told.

#ifndef TOI_CLI_KFREE_H
#define TOI_CLI_KFREE_H

#include "json.h"
#include "overlap_mesh.h"
#include "toi/overlap.h"

enum
{
    WORST = 5 // faces that are named
};

typedef struct kfree_face
{
    int32_t face;
    int32_t count;
    double centre[3];
} kfree_face;

typedef struct kfree_result
{
    char name[128];
    toi_kfree_report report;
    int64_t pairs; // of its own faces that intersect
    int64_t vertices;
    int32_t *counts; // of each face; only while it is looked at
    kfree_face worst[WORST];
    int worst_count;
} kfree_result;

// Is k so large, for the number of faces, that the bound says little?
bool is_large(const toi_kfree_report *r);

// For one mesh: all in words. Needs the counts.
toi_status describe_kfree(const kfree_result *r);

// For several: a line each, and their means.
toi_status print_kfree_table(const kfree_result *results, int count);

json_t *json_kfree(const kfree_result *r);

#endif
