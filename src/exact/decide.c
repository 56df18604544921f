// Decides a query in integers: takes its trajectory, then its first moment of contact.

#include "exact/decide.h"

#include "exact/contact.h"

#include <math.h>

enum
{
    // Doubles within some ten powers of two of each other need a tenth of this.
    SCRATCH_BYTES = 32 << 10
};

int64_t toi_decision_scratch_bytes(void)
{
    return SCRATCH_BYTES;
}

void toi_decide(const toi_decision_def *def, const toi_query *query, toi_decision *decision)
{
    toi_arena arena;
    toi_trajectory trajectory;
    toi_moment first = {.floor = INFINITY};
    bool hit;
    *decision = (toi_decision){.state = TOI_SEPARATED, .time = INFINITY};
    toi_arena_open(&arena, def->scratch, SCRATCH_BYTES);
    arena.budget = def->budget;
    toi_trajectory_from_query(&arena, def->kind, query, &trajectory);
    if (def->count) {
        toi_contact contacts[TOI_MOST_CONTACTS];
        decision->contacts = toi_find_all_contacts(&arena, &trajectory, contacts);
        if (decision->contacts > 0)
            first = contacts[0].from;
        hit = first.floor <= def->t_max;
    } else {
        toi_contact_search search = {def->t_max, def->guess};
        hit = toi_find_first_contact(&arena, &trajectory, &search, &first);
    }
    if (arena.failed) {
        *decision = (toi_decision){.state = TOI_UNDECIDED};
        if (def->budget && toi_limit_was_reached())
            def->budget->starved = true;
    } else if (hit) {
        decision->state = TOI_HIT;
        decision->time = first.floor;
        decision->time_is_exact = first.is_double;
    }
    toi_arena_close(&arena);
}
