// Numbers in text, whatever the locale.

#ifndef TOI_IO_NUMBERS_H
#define TOI_IO_NUMBERS_H

#include "io/text.h"

// What a word turned out to be.
typedef enum toi_number_kind
{
    TOI_NUMBER_FINITE,
    TOI_NUMBER_INFINITE, // "inf", "nan", or beyond the greatest double
    TOI_NUMBER_NONE      // not a decimal number, or longer than any that makes sense
} toi_number_kind;

// The double nearest to a decimal number such as -1.25e-3, ties to even.
toi_number_kind toi_parse_double(toi_span word, double *value);

// The same by strtod alone: the twin that tests compare with.
toi_number_kind toi_parse_double_slowly(toi_span word, double *value);

// A whole decimal number with an optional sign. False if it is not one or exceeds the type.
bool toi_parse_integer(toi_span word, int64_t *value);

// The word, which was just read from `text`, as a finite coordinate; or fails naming it.
toi_status toi_text_coordinate(const toi_text *text, toi_span word, double *value);

#endif
