// Runs a fuzz target on every file of a tar archive, without libFuzzer: inputs that once taught a
// fuzzer something stay tests. Usage: replay_NAME ARCHIVE.

#include "fuzz.h"

enum
{
    BLOCK = 512,   // a tar archive is made of these: a header, then the file's bytes, filled up
    SIZE_AT = 124, // in a header: the file's length in octal digits
    TYPE_AT = 156, // '0': a file
    MOST_BYTES = 1 << 20
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The next block; false at the end, which is a block of zeros.
static bool read_header(FILE *archive, char header[BLOCK])
{
    CHECK(fread(header, 1, BLOCK, archive) == BLOCK);
    if (header[0] == '\0')
        return false;
    CHECK(memcmp(header + 257, "ustar", 5) == 0 && header[TYPE_AT] == '0');
    return true;
}

// In memory that is exactly as long as the input, so that a sanitizer sees overruns.
static void replay(FILE *archive, size_t size)
{
    char rest[BLOCK];
    uint8_t *data = malloc(size ? size : 1);
    CHECK(data && fread(data, 1, size, archive) == size);
    size_t padding = (BLOCK - size % BLOCK) % BLOCK;
    CHECK(fread(rest, 1, padding, archive) == padding);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    FILE *archive = fopen(argv[1], "rb");
    CHECK(archive);
    int count = 0;
    for (char header[BLOCK]; read_header(archive, header); ++count) {
        size_t size = strtoul(header + SIZE_AT, NULL, 8);
        CHECK(size <= MOST_BYTES);
        replay(archive, size);
    }
    fclose(archive);
    printf("%d passed, %d failed\n", count, count == 0);
    return count == 0;
}
