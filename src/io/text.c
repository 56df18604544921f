// Errors of text files, with the line and the word that is wrong.

#include "io/text.h"

#include <stdarg.h>
#include <stdio.h>

toi_quoted toi_quote(toi_span span)
{
    toi_quoted quoted;
    const size_t room = sizeof quoted.text - 1;
    size_t size = span.size < room ? span.size : room;
    for (size_t i = 0; i < size; ++i) {
        // A file must not be able to send escape sequences to the terminal that shows the message.
        bool printable = span.at[i] >= ' ' && span.at[i] <= '~';
        quoted.text[i] = '?';
        if (printable)
            quoted.text[i] = span.at[i];
    }
    if (span.size > room)
        memcpy(quoted.text + room - 3, "...", 3);
    quoted.text[size] = '\0';
    return quoted;
}

toi_status toi_text_fail(const toi_text *text, toi_status status, const char *format, ...)
{
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return toi_fail(status, "%s:%lld: %s", text->name, (long long)text->line, what);
}

toi_status toi_text_fail_word(const toi_text *text, toi_span word, const char *expected)
{
    if (word.size > 0)
        return toi_text_fail(text, TOI_ERROR_FORMAT, "expected %s, found \"%s\"", expected,
                             toi_quote(word).text);
    const char *where = text->at == text->end ? "file" : "line";
    return toi_text_fail(text, TOI_ERROR_FORMAT, "expected %s, found the end of the %s", expected,
                         where);
}

bool toi_span_is_any_case(toi_span span, const char *word)
{
    if (strlen(word) != span.size)
        return false;
    for (size_t i = 0; i < span.size; ++i) {
        char c = span.at[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c != word[i])
            return false;
    }
    return true;
}
