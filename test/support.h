// What the test programs share: the place of the real data, small meshes.

#ifndef TOI_TEST_SUPPORT_H
#define TOI_TEST_SUPPORT_H

#include "toi/toi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// The call must succeed; prints the library's message if it does not.
#define assert_ok(call)                                                                            \
    do {                                                                                           \
        toi_status status_ = (call);                                                               \
        if (status_ != TOI_OK)                                                                     \
            fail_msg("%s: %s", toi_status_name(status_), toi_last_message());                      \
    } while (0)

// The call must fail with this status and a message that contains `text`.
#define assert_fails(call, expected, text)                                                         \
    do {                                                                                           \
        assert_int_equal(call, expected);                                                          \
        if (!strstr(toi_last_message(), text))                                                     \
            fail_msg("message \"%s\" lacks \"%s\"", toi_last_message(), text);                     \
    } while (0)

// `path` under the folder of real data (TOI_DATA, else ../shared/data beside the sources), or NULL,
// after saying by name what is skipped. The result is valid until the next call.
const char *find_data(const char *path);

// The call `what` must have failed, with a message of its own: not the one that was there before.
void expect_news(toi_status status, const char *what);

// Ten times the cases under `make test-long`, but not under sanitizers.
int64_t long_factor(void);

// How many random cases: ten times as many under `make test-long`, few under a sanitizer, which is
// there for what one case does.
int64_t cases(int64_t count);

// The same for cases that take long: a quarter of them in `make test`'s release build.
int64_t slow_cases(int64_t count);

// A random soup of triangles in the unit cube, `motion` far moved, with loose edges and vertices
// beside; free with free_soup().
typedef struct soup
{
    int64_t vertex_count, face_count, edge_count;
    double (*start)[3], (*end)[3];
    int32_t (*faces)[3];
    toi_edge_array edges;
    toi_mesh mesh;
} soup;

soup make_soup(int64_t faces, double size, double motion, uint64_t seed);
void free_soup(soup *s);

#endif
