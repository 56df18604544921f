// Names of statuses, this thread's message, and the version.

#include "base/status.h"

#include "base/fp_mode.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[TOI_MESSAGE_BYTES];

static const char *const names[TOI_STATUS_COUNT] = {
    [TOI_OK] = "ok",
    [TOI_ERROR_ARGUMENT] = "bad argument",
    [TOI_ERROR_DATA] = "bad data",
    [TOI_ERROR_FILE] = "file error",
    [TOI_ERROR_FORMAT] = "bad format",
    [TOI_ERROR_MEMORY] = "out of memory",
    [TOI_ERROR_LIMIT] = "limit reached",
    [TOI_ERROR_UNSUPPORTED] = "not supported",
    [TOI_ERROR_CANCELLED] = "cancelled",
};

const char *toi_status_name(toi_status status)
{
    return (unsigned)status < TOI_STATUS_COUNT ? names[status] : "unknown status";
}

const char *toi_last_message(void)
{
    return message;
}

void toi_set_message(const char *text)
{
    snprintf(message, sizeof message, "%s", text);
}

toi_status toi_fail(toi_status status, const char *format, ...)
{
    TOI_GUARD_FP;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return status;
}

const char *toi_version(void)
{
    return TOI_VERSION;
}
