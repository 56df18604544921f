// What the fuzz targets share: a check that stays on in every build, and bytes as numbers.

#ifndef TOI_FUZZ_H
#define TOI_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Stops with the condition's text where it does not hold.
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);              \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

// The input as a stream; it goes on with zeros after its end.
typedef struct fuzz_bytes
{
    const uint8_t *at;
    size_t left;
} fuzz_bytes;

static inline void take_bytes(fuzz_bytes *bytes, void *value, size_t size)
{
    size_t taken = size < bytes->left ? size : bytes->left;
    memset(value, 0, size);
    if (taken > 0)
        memcpy(value, bytes->at, taken);
    bytes->at += taken;
    bytes->left -= taken;
}

static inline uint8_t take_byte(fuzz_bytes *bytes)
{
    uint8_t value;
    take_bytes(bytes, &value, 1);
    return value;
}

static inline double take_double(fuzz_bytes *bytes)
{
    double value;
    take_bytes(bytes, &value, sizeof value);
    return value;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
