// A cursor over text that knows its line: what the text formats are read with.

#ifndef TOI_IO_TEXT_H
#define TOI_IO_TEXT_H

#include "toi/base.h"

#include <string.h>

// A piece of the input; not terminated.
typedef struct toi_span
{
    const char *at;
    size_t size;
} toi_span;

// Where the reading is. Lines end with \n; a \r before it is a blank.
typedef struct toi_text
{
    const char *name; // of the file, for messages
    const char *at;
    const char *end;
    int64_t line; // of `at`, from 1
} toi_text;

// Part of a file in a message: short and printable, whatever the file holds.
typedef struct toi_quoted
{
    char text[40];
} toi_quoted;

toi_quoted toi_quote(toi_span span);

// Fails with "NAME:LINE: ...".
toi_status toi_text_fail(const toi_text *text, toi_status status, const char *format, ...)
    TOI_PRINTF(3, 4);

// Fails because `word` stands where something else was expected; an empty one is the end.
toi_status toi_text_fail_word(const toi_text *text, toi_span word, const char *expected);

static inline bool toi_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static inline bool toi_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline void toi_text_skip_blanks(toi_text *text)
{
    while (text->at < text->end && toi_is_blank(*text->at))
        ++text->at;
}

// Nothing but blanks is left on this line.
static inline bool toi_text_line_ended(toi_text *text)
{
    toi_text_skip_blanks(text);
    return text->at == text->end || *text->at == '\n';
}

// The next word of this line; empty when there is none.
static inline toi_span toi_text_word(toi_text *text)
{
    toi_text_skip_blanks(text);
    const char *start = text->at;
    while (text->at < text->end && *text->at != '\n' && !toi_is_blank(*text->at))
        ++text->at;
    return (toi_span){start, (size_t)(text->at - start)};
}

// Moves behind this line's end. False when the text ends here.
static inline bool toi_text_next_line(toi_text *text)
{
    const char *end = memchr(text->at, '\n', (size_t)(text->end - text->at));
    if (!end) {
        text->at = text->end;
        return false;
    }
    text->at = end + 1;
    ++text->line;
    return true;
}

// The next word, on this line or on a later one; empty at the end of the text.
static inline toi_span toi_text_word_anywhere(toi_text *text)
{
    while (toi_text_line_ended(text) && text->at < text->end)
        toi_text_next_line(text);
    return toi_text_word(text);
}

static inline bool toi_span_is(toi_span span, const char *word)
{
    return strlen(word) == span.size && memcmp(span.at, word, span.size) == 0;
}

// The same, whatever the case of the ASCII letters; `word` is in lower case.
bool toi_span_is_any_case(toi_span span, const char *word);

#endif
