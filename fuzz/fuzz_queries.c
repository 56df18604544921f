// Any bytes as a query CSV: refused with a message, or finite queries.

#include "fuzz.h"

#include "toi/io.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    toi_query_file file;
    toi_status status = toi_parse_queries("x.csv", data, size, &file);
    if (status != TOI_OK) {
        CHECK(!file.queries && !file.hits && file.count == 0);
        CHECK(strstr(toi_last_message(), "x.csv:"));
    }
    for (int64_t i = 0; i < file.count; ++i)
        for (int value = 0; value < 12; ++value) {
            CHECK(isfinite(file.queries[i].start[value / 3][value % 3]));
            CHECK(isfinite(file.queries[i].end[value / 3][value % 3]));
        }
    toi_free_query_file(&file);
    return 0;
}
