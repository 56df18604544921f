// What searches for intersecting faces found, against the truth.

#ifndef TOI_PEERS_OVERLAP_JUDGE_H
#define TOI_PEERS_OVERLAP_JUDGE_H

#include "overlap_peer.h"
#include "toi/overlap.h"

// A search of this or of another library.
typedef struct overlap_contestant
{
    const char *name;
    overlap_peer_fn *find; // NULL: this library
    toi_overlap_method method;
    bool kept;       // of a scene
    bool neighbours; // does it look at pairs that share a vertex? Else it is judged on the others
} overlap_contestant;

enum
{
    MOST_CONTESTANTS = 16
};

// All that were built, the library's own first.
extern const overlap_contestant overlap_contestants[MOST_CONTESTANTS];
const char *overlap_contestant_name(int index); // NULL past the last

// Errors, and what there was to find.
typedef struct overlap_verdict
{
    int64_t pairs;    // there are
    int64_t found;    // reported
    int64_t missed;   // of those there are, both faces of which the search took
    int64_t left_out; // of those there are, with a face that it did not take
    int64_t invented;
    int64_t faces_left_out;
} overlap_verdict;

// A search on one mesh: memory that is kept from run to run.
typedef struct overlap_trial
{
    const overlap_contestant *contestant;
    toi_scene *scene;
    toi_overlap_array overlaps;
    toi_pair_array pairs;
    uint8_t *taken;
    double seconds_prepare;
    double seconds;
} overlap_trial;

toi_status start_trial(const overlap_contestant *contestant, const toi_mesh *mesh,
                       overlap_trial *trial);
toi_status run_trial(const toi_mesh *mesh, overlap_trial *trial);
void free_trial(overlap_trial *trial); // harmless on a zeroed one

// All pairs there are: by every pair of faces where these are few, else by the fast method.
toi_status find_true_overlaps(const toi_mesh *mesh, toi_overlap_array *truth);

overlap_verdict judge_trial(const toi_overlap_array *truth, const overlap_trial *trial,
                            int64_t faces);

#endif
