// Counts and prints where a dataset disagrees with what was computed.

#include "truth_findings.h"

#include <stdarg.h>
#include <stdio.h>

void add_finding(findings *f, const char *format, ...)
{
    if (f->count++ >= f->most)
        return;
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (f->lines) {
        json_array_append_new(f->lines, json_text(line));
        return;
    }
    end_progress(f->bar);
    puts(line);
}

toi_status add_failure(findings *f, toi_status status)
{
    if (status != TOI_ERROR_FILE && status != TOI_ERROR_FORMAT && status != TOI_ERROR_DATA)
        return status;
    add_finding(f, "%s", toi_last_message());
    return TOI_OK;
}
