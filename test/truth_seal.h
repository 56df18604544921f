// Makes the hashes of a truth file in memory right again, so that what was changed in it gets past
// them: for its tests and its fuzzer.

#ifndef TOI_TEST_TRUTH_SEAL_H
#define TOI_TEST_TRUTH_SEAL_H

#include "io/truth_layout.h"

// `data` is aligned to 8. Files too short for a header and a footer, and sections that are not in
// the file, stay as they are.
static inline void seal_truth(unsigned char *data, size_t size)
{
    toi_truth_header *header = (void *)data;
    toi_truth_section *sections[TOI_TRUTH_PARTS + 2];
    if (size < sizeof *header + sizeof(toi_truth_footer))
        return;
    toi_truth_footer *footer = (void *)(data + (size - sizeof *footer) / 8 * 8);
    for (int i = 0; i < TOI_TRUTH_PARTS; ++i)
        sections[i] = &header->sections[i];
    sections[TOI_TRUTH_PARTS] = &footer->certificates;
    sections[TOI_TRUTH_PARTS + 1] = &footer->index;
    for (int i = 0; i < TOI_TRUTH_PARTS + 2; ++i) {
        uint64_t offset = (uint64_t)sections[i]->offset, bytes = (uint64_t)sections[i]->bytes;
        if (offset > size || bytes > size - offset)
            continue;
        bytes = (uint64_t)toi_truth_padded((int64_t)bytes);
        if (bytes <= size - offset)
            sections[i]->hash = toi_hash(data + offset, (size_t)bytes);
    }
    header->hash = toi_hash(header, offsetof(toi_truth_header, hash));
    footer->hash = toi_hash(footer, offsetof(toi_truth_footer, hash));
}

#endif
