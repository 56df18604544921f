// This thread's message, and the one check that all definitions share.

#ifndef TOI_BASE_STATUS_H
#define TOI_BASE_STATUS_H

#include "toi/base.h"

#include <inttypes.h>

enum
{
    TOI_MESSAGE_BYTES = 512
};

// Sets the message as it is: for a failure that happened on another thread.
void toi_set_message(const char *text);

// A negative count is refused by the name of what it counts.
static inline toi_status toi_check_count(int64_t count, const char *what)
{
    if (count >= 0)
        return TOI_OK;
    return toi_fail(TOI_ERROR_ARGUMENT, "the number of %s is %" PRId64 "; use 0 or more", what,
                    count);
}

// Definitions carry their default function's cookie, so that a zeroed one is refused, not obeyed.
#define TOI_CHECK_DEF(def, cookie_value, name)                                                     \
    do {                                                                                           \
        if (!(def) || (def)->cookie != (cookie_value))                                             \
            return toi_fail(TOI_ERROR_ARGUMENT,                                                    \
                            "the definition was not made by toi_default_" name "_def()");          \
    } while (0)

#endif
