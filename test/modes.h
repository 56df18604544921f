// Calling the library in every floating-point mode that a program can set.

#ifndef TOI_TEST_MODES_H
#define TOI_TEST_MODES_H

#include "support.h"

// Makes one call of the library in the mode at hand, and nothing else. The first toi_...( in it is
// the function that is called. Afterwards the mode is the default one again.
#define IN_MODE(...)                                                                               \
    do {                                                                                           \
        enter_mode(#__VA_ARGS__);                                                                  \
        __VA_ARGS__;                                                                               \
        leave_mode();                                                                              \
    } while (0)

// Compares what a call gave with what it gave in the default mode, byte for byte.
void keep(const void *bytes, size_t size);
void keep_message(void);

// The library's own mode must be set where it calls the program back.
void check_own_mode(void);

// Makes the calls of `scenario` in each mode; it must do the same each time.
void in_every_mode(void (*scenario)(void));

// Was there a call of this function?
bool was_called(const char *name);

void enter_mode(const char *call);
void leave_mode(void);

#endif
