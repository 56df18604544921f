// What a test sets and reads of the fake backend, which stands for a card where there is none.

#ifndef TOI_TEST_FAKE_BACKEND_H
#define TOI_TEST_FAKE_BACKEND_H

#include "toi/base.h"

typedef struct fake_knobs
{
    int hard_every; // about every so many-th pair is left to the host; 0: none
    // Lists come packed where they may, some of their groups as they are; or are said to come and
    // never do, so that they have to be found once more.
    bool packed, undelivered;
    bool large_star;      // pairs that share a vertex are left to the host
    uint32_t version;     // the version that it has; 0: the right one
    toi_status open;      // how these calls end
    toi_status make_mesh; //
    toi_status find;
    toi_status merge;
    toi_status find_pairs;
    // What is still held, and what was done.
    _Atomic int64_t cards, meshes, blocks;
    _Atomic int64_t meshes_made, finds, resumed, sent, delivered;
    // Memory that only the card can read: the host's address of it ends the process.
    char *card_memory;
    char *shadow; // where its bytes are
} fake_knobs;

enum
{
    FAKE_CARD_BYTES = 1 << 20,
    FAKE_PART = 1000 // pairs that are handed on at once
};

// The symbol of the library that these are found by.
#define FAKE_KNOBS_SYMBOL "toi_fake_knobs"

#endif
