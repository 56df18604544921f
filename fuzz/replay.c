// Runs a fuzz target on every file of a folder, without libFuzzer: inputs that once taught a fuzzer
// something stay tests. Usage: replay_NAME DIRECTORY.

#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include <dirent.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    CHECK(file);
    uint8_t *data =
        malloc(1 << 20); // exactly as long as needed below, so that a sanitizer sees overruns
    CHECK(data);
    size_t size = fread(data, 1, 1 << 20, file);
    fclose(file);
    uint8_t *exact = malloc(size ? size : 1);
    CHECK(exact);
    memcpy(exact, data, size);
    free(data);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    DIR *directory = opendir(argv[1]);
    CHECK(directory);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.')
            continue;
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        replay(path);
        ++count;
    }
    closedir(directory);
    printf("%d passed, %d failed\n", count, count == 0);
    return count == 0;
}
