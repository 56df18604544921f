// Numbers and sizes as text for people, and back.

#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

text words(const char *from)
{
    text result;
    snprintf(result.at, sizeof result.at, "%s", from);
    return result;
}

text decimal(const char *format, double number)
{
    text result;
    snprintf(result.at, sizeof result.at, format, number);
    return result;
}

text count_text(int64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRId64, count);
    text result = {""};
    char *at = result.at;
    for (int i = 0; i < length; ++i) {
        *at++ = digits[i];
        int left = length - 1 - i;
        if (left > 0 && left % 3 == 0 && digits[i] != '-')
            *at++ = ',';
    }
    return result;
}

text seconds_text(double seconds)
{
    text result;
    if (seconds >= 1)
        snprintf(result.at, sizeof result.at, "%.2f s", seconds);
    else if (seconds >= 1e-3)
        snprintf(result.at, sizeof result.at, "%.1f ms", seconds * 1e3);
    else
        snprintf(result.at, sizeof result.at, "%.1f us", seconds * 1e6);
    return result;
}

text bytes_text(int64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    text result;
    if (bytes < 1024) {
        snprintf(result.at, sizeof result.at, "%" PRId64 " bytes", bytes);
        return result;
    }
    double size = (double)bytes / 1024;
    int unit = 0;
    for (; size >= 1024 && unit < 3; ++unit)
        size /= 1024;
    snprintf(result.at, sizeof result.at, "%.1f %s", size, units[unit]);
    return result;
}

text hash_text(uint64_t hash)
{
    text result;
    snprintf(result.at, sizeof result.at, "%016" PRIx64, hash);
    return result;
}

text time_hex(double time)
{
    text result;
    snprintf(result.at, sizeof result.at, "%a", time);
    return result;
}

// strtoll() and strtod() skip spaces, which nobody means to write.
static bool starts_number(const char *from)
{
    return *from && !isspace((unsigned char)*from);
}

bool parse_integer(const char *from, int64_t *value)
{
    char *end;
    errno = 0;
    long long parsed = strtoll(from, &end, 10);
    *value = parsed;
    return starts_number(from) && *end == '\0' && end != from && errno == 0;
}

bool parse_number(const char *from, double *value)
{
    char *end;
    *value = strtod(from, &end);
    return starts_number(from) && *end == '\0' && end != from;
}

bool parse_vector(const char *from, double values[3])
{
    for (int i = 0; i < 3; ++i) {
        char *end;
        values[i] = strtod(from, &end);
        bool number = end != from && isfinite(values[i]);
        end += strspn(end, " \t");
        if (!number || *end != (i < 2 ? ',' : '\0'))
            return false;
        from = end + 1;
    }
    return true;
}

bool parse_bytes(const char *from, int64_t *value)
{
    static const char letters[] = "KMGT";
    char *end;
    errno = 0;
    long long parsed = strtoll(from, &end, 10);
    if (!starts_number(from) || end == from || errno != 0)
        return false;
    const char *letter = *end ? strchr(letters, toupper((unsigned char)*end)) : NULL;
    for (int i = 0; letter && i <= letter - letters; ++i) {
        if (parsed > INT64_MAX / 1024 || parsed < 0)
            return false;
        parsed *= 1024;
    }
    if (letter)
        ++end;
    *value = parsed;
    return *end == '\0' || strcasecmp(end, "B") == 0 || (letter && strcasecmp(end, "iB") == 0);
}
