// The layout of a truth file: where each section begins, and what is wrong with a header.

#include "io/truth_layout.h"

#include <math.h>

int64_t toi_truth_lay_out(toi_truth_header *header)
{
    static const int64_t row_bytes[] = {24, 24, 12, 8, 8, 1, 8};
    int64_t rows[TOI_TRUTH_PARTS] = {header->vertices, header->vertices, header->faces,
                                     header->edges};
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        rows[toi_truth_section_of(TOI_TRUTH_PAIRS, kind)] = header->counts[kind];
        rows[toi_truth_section_of(TOI_TRUTH_FLAGS, kind)] = header->counts[kind];
        rows[toi_truth_section_of(TOI_TRUTH_TIMES, kind)] = header->hits[kind];
    }
    int64_t offset = (int64_t)sizeof *header;
    for (int i = 0; i < TOI_TRUTH_PARTS; ++i) {
        int part = i > TOI_TRUTH_TIMES ? i - TOI_TRUTH_KIND_PARTS : i;
        header->sections[i].offset = offset;
        header->sections[i].bytes = rows[i] * row_bytes[part];
        offset += toi_truth_padded(header->sections[i].bytes);
    }
    return offset;
}

const char *toi_truth_header_flaw(const toi_truth_header *header)
{
    if (header->listed != TOI_TRUTH_HITS && header->listed != TOI_TRUTH_CANDIDATES)
        return "it lists neither hits nor candidates";
    if (header->vertices < 0 || header->vertices > INT32_MAX || header->edges < 0 ||
        header->edges > INT32_MAX || header->faces < 0 || header->faces > INT32_MAX)
        return "a number of vertices, edges or faces is not in [0, 2^31)";
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        if (header->hits[kind] < 0 || header->hits[kind] > header->counts[kind] ||
            header->counts[kind] > header->candidates[kind])
            return "there are more hits than pairs, or more pairs than candidates";
        bool hits_only = header->listed == TOI_TRUTH_HITS;
        if (header->counts[kind] != (hits_only ? header->hits[kind] : header->candidates[kind]))
            return hits_only ? "it lists hits, but not every pair is one"
                             : "it lists candidates, but not as many as there are";
    }
    for (int i = 0; i < (int)(sizeof header->reserved / sizeof *header->reserved); ++i)
        if (header->reserved[i] != 0)
            return "bytes that are reserved are not zero";
    return NULL;
}

const char *toi_truth_entry_flaw(const toi_truth_header *header, toi_kind kind,
                                 const toi_truth_entry *before, const toi_truth_entry *entry)
{
    bool edges = kind == TOI_EDGE_EDGE;
    toi_pair pair = entry->pair;
    if (pair.a < 0 || pair.a >= (edges ? header->edges : header->vertices) || pair.b < 0 ||
        pair.b >= (edges ? header->edges : header->faces))
        return "there is no such pair of primitives";
    if (edges && pair.a >= pair.b)
        return "the lower edge is not the first";
    if (before &&
        (pair.a < before->pair.a || (pair.a == before->pair.a && pair.b <= before->pair.b)))
        return "it is not after the pair before it";
    if (!entry->hit && (entry->time_is_exact || entry->time != INFINITY))
        return "it does not collide but has a time";
    if (entry->hit && (!(entry->time >= 0 && entry->time <= 1) || signbit(entry->time)))
        return "it collides at a time that is not in [0, 1]";
    if (!entry->hit && header->listed == TOI_TRUTH_HITS)
        return "it does not collide, but only hits are listed";
    return NULL;
}

int64_t toi_frame_bytes(const unsigned char *at, int64_t size)
{
    if (size < TOI_FRAME_HEAD)
        return 0;
    int64_t bytes = at[0] | at[1] << 8;
    int64_t frame = TOI_FRAME_HEAD + bytes + TOI_FRAME_TAIL;
    return bytes > 0 && bytes <= TOI_EXACT_TIME_BYTES && frame <= size ? frame : 0;
}
