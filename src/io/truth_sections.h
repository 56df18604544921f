// The part of a truth file that is known before its certificates are.

#ifndef TOI_IO_TRUTH_SECTIONS_H
#define TOI_IO_TRUTH_SECTIONS_H

#include "io/truth_layout.h"

// Takes the next bytes; anything but TOI_OK ends the stream.
typedef toi_status toi_byte_sink_fn(void *context, const void *data, size_t size);

// Checks the definition and makes the header, with the hashes of all sections.
toi_status toi_make_truth_header(const toi_truth_def *def, toi_truth_header *header);

// Streams the header and all sections, with the zeros between them.
toi_status toi_stream_truth(const toi_truth_def *def, const toi_truth_header *header,
                            toi_byte_sink_fn *sink, void *context);

#endif
