// Numbers and names as people read them.

#ifndef TOI_CLI_TEXT_H
#define TOI_CLI_TEXT_H

#include <stdbool.h>
#include <stdint.h>

// A short text by value: printf("%s", count_text(n).at).
typedef struct text
{
    char at[48];
} text;

text words(const char *from);                    // cut where it is too long
text count_text(int64_t count);                  // 1,234,567
text seconds_text(double seconds);               // 12.3 ms
text bytes_text(int64_t bytes);                  // 45.6 MiB
text hash_text(uint64_t hash);                   // sixteen hexadecimal digits
text time_hex(double time);                      // C99 hexadecimal: every bit of it
text decimal(const char *format, double number); // by a format of printf()

// Read the whole text or nothing: false when it is anything but a number of that kind.
bool parse_integer(const char *from, int64_t *value);
bool parse_number(const char *from, double *value);
// "x,y,z", all finite; spaces may stand around the numbers.
bool parse_vector(const char *from, double values[3]);
// An integer, perhaps with K, M, G or T for powers of 1024 ("64M", "1GiB").
bool parse_bytes(const char *from, int64_t *value);

#endif
