// How much of the machine a loop may take: what the program has set for its own threads.

#ifndef TOI_BASE_CORES_H
#define TOI_BASE_CORES_H

#include <stdbool.h>

// Cores that this process may use.
int toi_core_count(void);

// Threads that a loop of the program would take, at least 1.
int toi_thread_setting(void);

// False inside a parallel region of the program that allows no other inside.
bool toi_may_nest(void);

// Lets the calling thread, which has inherited its creator's cores, run on all that the program's
// threads are bound to.
void toi_leave_bound_core(void);

#endif
