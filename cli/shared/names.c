// Looks up a name that was typed, and proposes the nearest one.

#include "names.h"

#include <stdio.h>
#include <string.h>

enum
{
    MOST_LETTERS = 40, // of a name that is compared; no name of ours is longer
    MOST_SHOWN = 80    // of what was typed
};

void join_names(char names[NAMES_BYTES], const char *(*name)(int index))
{
    size_t used = 0;
    names[0] = '\0';
    for (int i = 0; name(i) && used < NAMES_BYTES; ++i)
        if (*name(i))
            used +=
                (size_t)snprintf(names + used, NAMES_BYTES - used, used ? ", %s" : "%s", name(i));
}

int find_name(const char *given, size_t length, const char *(*name)(int index))
{
    for (int i = 0; name(i); ++i)
        if (*name(i) && strlen(name(i)) == length && strncmp(name(i), given, length) == 0)
            return i;
    return -1;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

// How many letters must be put in, left out, replaced or swapped with their neighbour to make one
// word of the other. Row by row of the table of all pairs of beginnings; a swap needs the row
// before the last.
static int edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int rows[3][MOST_LETTERS + 1];
    for (size_t j = 0; j <= b_length; ++j)
        rows[0][j] = (int)j;
    for (size_t i = 1; i <= a_length; ++i) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3];
        const int *two_above = rows[(i + 1) % 3];
        row[0] = (int)i;
        for (size_t j = 1; j <= b_length; ++j) {
            row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]), 1 + least(above[j], row[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

guess start_guess(const char *given, size_t length)
{
    // One letter in three may be wrong, and three in all: more is no slip of the hand.
    int most = length < 9 ? (int)length / 3 : 3;
    return (guess){.given = given, .length = length, .distance = most + 1};
}

void offer_name(guess *g, const char *name)
{
    size_t length = strlen(name);
    if (g->length > MOST_LETTERS || length > MOST_LETTERS)
        return;
    int distance = edit_distance(g->given, g->length, name, length);
    if (distance < g->distance) {
        g->name = name;
        g->distance = distance;
    }
}

toi_status fail_name(const char *lead, const char *given, size_t length,
                     const char *(*name)(int index))
{
    char names[NAMES_BYTES];
    guess g = start_guess(given, length);
    join_names(names, name);
    for (int i = 0; name(i); ++i)
        if (*name(i))
            offer_name(&g, name(i));
    return toi_fail(TOI_ERROR_ARGUMENT, "%s '%.*s'; %s%s%s are %s", lead,
                    length < MOST_SHOWN ? (int)length : MOST_SHOWN, given,
                    g.name ? "did you mean " : "", g.name ? g.name : "",
                    g.name ? "? There" : "there", names);
}
