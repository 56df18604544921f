// What the library holds, counted: hooks around the allocator.

#ifndef TOI_CLI_COUNTED_MEMORY_H
#define TOI_CLI_COUNTED_MEMORY_H

#include <stdint.h>

// From here on all memory of the library is counted. To be called before it has taken any.
void count_memory(void);

// Bytes held now; the most since then is counted anew.
int64_t restart_memory_peak(void);

// The most bytes held at once since restart_memory_peak().
int64_t memory_peak(void);

#endif
