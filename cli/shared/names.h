// Names that people type: what there is, and which one they may have meant.

#ifndef TOI_CLI_NAMES_H
#define TOI_CLI_NAMES_H

#include "toi/base.h"

// The longest list of names that join_names() makes.
enum
{
    NAMES_BYTES = 512
};

// In all of the following `name` returns names by number, "" for a number that is not there, and
// NULL past the last.

// Writes "a, b, c", for messages that list what there is.
void join_names(char names[NAMES_BYTES], const char *(*name)(int index));

// The number of the name that is the first `length` letters of `given`; -1: there is none.
int find_name(const char *given, size_t length, const char *(*name)(int index));

// The name most like what was typed, of those that were offered.
typedef struct guess
{
    const char *given;
    size_t length;
    const char *name; // NULL: none is like it
    int distance;     // how many letters are wrong
} guess;

guess start_guess(const char *given, size_t length);
void offer_name(guess *g, const char *name);

// TOI_ERROR_ARGUMENT with "LEAD 'given'; did you mean b? There are a, b, c". The lead is
// "there is no scene", say.
toi_status fail_name(const char *lead, const char *given, size_t length,
                     const char *(*name)(int index));

#endif
