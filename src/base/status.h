// This thread's message, and the one check that all definitions share.

#ifndef TOI_BASE_STATUS_H
#define TOI_BASE_STATUS_H

#include "toi/base.h"

enum
{
    TOI_MESSAGE_BYTES = 512
};

// Sets the message as it is: for a failure that happened on another thread.
void toi_set_message(const char *text);

// Definitions carry their default function's cookie, so that a zeroed one is refused, not obeyed.
#define TOI_CHECK_DEF(def, cookie_value, name)                                                     \
    do {                                                                                           \
        if (!(def) || (def)->cookie != (cookie_value))                                             \
            return toi_fail(TOI_ERROR_ARGUMENT,                                                    \
                            "the definition was not made by toi_default_" name "_def()");          \
    } while (0)

#endif
