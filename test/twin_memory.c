// Freed blocks of rational numbers are kept for the next ones, in each thread its own: a slow twin
// spends a quarter of its time on making and freeing them. For programs whose twin takes long.

#include <gmp.h>
#include <stdlib.h>
#include <string.h>

enum
{
    SIZES = 64, // of 16 bytes each
};

typedef struct block
{
    struct block *next;
} block;

static _Thread_local block *kept[SIZES];

static size_t class_of(size_t size)
{
    return size == 0 ? 0 : (size - 1) / 16;
}

static void *take(size_t size)
{
    size_t c = class_of(size);
    block *first = c < SIZES ? kept[c] : NULL;
    if (first)
        kept[c] = first->next;
    void *memory = first ? first : malloc(16 * (c + 1));
    return memory ? memory : (abort(), NULL);
}

static void give(void *memory, size_t size)
{
    size_t c = class_of(size);
    if (c >= SIZES) {
        free(memory);
        return;
    }
    ((block *)memory)->next = kept[c];
    kept[c] = memory;
}

static void *change(void *memory, size_t before, size_t after)
{
    if (class_of(before) == class_of(after))
        return memory;
    void *other = take(after);
    memcpy(other, memory, before < after ? before : after);
    give(memory, before);
    return other;
}

__attribute__((constructor)) static void keep_blocks(void)
{
    mp_set_memory_functions(take, change, give);
}
