// A question about a step while it is being answered: what each worker has found so far. Questions
// differ only in what they do with an impact.

#ifndef TOI_CCD_QUESTION_H
#define TOI_CCD_QUESTION_H

#include "ccd/pipeline.h"
#include "ccd/records.h"

// What a worker has found; merged in the end, so that nothing depends on who found it.
typedef struct toi_tally
{
    toi_impact earliest;
    int64_t hits[TOI_KIND_COUNT];
    int64_t undecided[TOI_KIND_COUNT];
    _Alignas(64) char end[64];
} toi_tally;

typedef struct toi_question
{
    toi_pipeline pipeline;
    toi_tally *tallies; // one a worker
    _Atomic uint64_t best;
    _Atomic uint64_t *times; // bits of each vertex's first impact, or NULL
    toi_recorder *recorder;  // or NULL: the impacts themselves are not wanted
} toi_question;

// `impacts`: the list that they go to, or NULL. Call toi_end_question() after success and failure.
toi_status toi_begin_question(toi_question *q, const toi_ccd_def *def, toi_step step,
                              toi_impact_array *impacts);
toi_status toi_end_question(toi_question *q, toi_status status, toi_ccd_report *report);

// Adds what the workers have found to the report, and forgets it.
void toi_merge_tallies(toi_question *q);
void toi_reset_tallies(toi_question *q);

// By time, then by kind, a and b.
bool toi_is_earlier(const toi_impact *a, const toi_impact *b);

// What receives the impacts of a question. In brief the earliest has no place.
toi_consume_fn toi_consume_impacts;
toi_consume_brief_fn toi_consume_briefs;

#endif
