// Writes and hashes the part of a truth file that is known before its certificates.

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "io/truth_sections.h"

#include "base/status.h"
#include "mesh/mesh.h"

#include <inttypes.h>
#include <string.h>

enum
{
    CHUNK = 1 << 16,
    MOST_ROW = 3 * sizeof(double)
};

// ---- Sections as streams of bytes

static size_t put(char *row, const void *data, size_t size)
{
    memcpy(row, data, size);
    return size;
}

// Writes row i of a section of a kind. Returns its bytes: none where the section leaves it out.
static size_t make_row(const toi_truth_def *def, int part, int kind, int64_t i, char *row)
{
    const toi_mesh *mesh = def->mesh;
    if (part == TOI_TRUTH_START || part == TOI_TRUTH_END) {
        double point[3];
        toi_load_point(part == TOI_TRUTH_START ? &mesh->start : &mesh->end, i, point);
        return put(row, point, sizeof point);
    }
    if (part == TOI_TRUTH_FACES)
        return put(row, toi_face_at(&mesh->faces, i), 3 * sizeof(int32_t));
    if (part == TOI_TRUTH_EDGES)
        return put(row, toi_edge_at(&mesh->edges, i), 2 * sizeof(int32_t));
    const toi_truth_entry *entry = &def->entries[kind][i];
    if (part == TOI_TRUTH_PAIRS)
        return put(row, &entry->pair, sizeof entry->pair);
    if (part == TOI_TRUTH_TIMES)
        return entry->hit ? put(row, &entry->time, sizeof entry->time) : 0;
    uint8_t flags =
        (uint8_t)((entry->hit ? TOI_TRUTH_HIT : 0) | (entry->time_is_exact ? TOI_TRUTH_EXACT : 0));
    return put(row, &flags, 1);
}

static int64_t rows_of(const toi_truth_def *def, int part, int kind)
{
    if (part == TOI_TRUTH_FACES)
        return def->mesh->faces.count;
    if (part == TOI_TRUTH_EDGES)
        return def->mesh->edges.count;
    return part < TOI_TRUTH_PAIRS ? def->mesh->start.count : def->counts[kind];
}

// Streams section number `index` and the zeros after it.
static toi_status stream_section(const toi_truth_def *def, int index, toi_byte_sink_fn *sink,
                                 void *context)
{
    int kind = index > TOI_TRUTH_TIMES ? 1 : 0, part = index - kind * TOI_TRUTH_KIND_PARTS;
    char chunk[CHUNK + MOST_ROW + TOI_TRUTH_ALIGNMENT];
    size_t size = 0;
    int64_t streamed = 0, rows = rows_of(def, part, kind);
    toi_status status = TOI_OK;
    for (int64_t i = 0; i < rows && status == TOI_OK; ++i) {
        size += make_row(def, part, kind, i, chunk + size);
        if (size >= CHUNK) {
            status = sink(context, chunk, size);
            streamed += (int64_t)size;
            size = 0;
        }
    }
    streamed += (int64_t)size;
    size_t zeros = (size_t)(toi_truth_padded(streamed) - streamed);
    memset(chunk + size, 0, zeros);
    if (status == TOI_OK && size + zeros > 0)
        status = sink(context, chunk, size + zeros);
    return status;
}

toi_status toi_stream_truth(const toi_truth_def *def, const toi_truth_header *header,
                            toi_byte_sink_fn *sink, void *context)
{
    toi_status status = sink(context, header, sizeof *header);
    for (int i = 0; i < TOI_TRUTH_PARTS && status == TOI_OK; ++i)
        status = stream_section(def, i, sink, context);
    return status;
}

// ---- The header

// Checks the entries of a kind and counts those that collide.
static toi_status count_hits(const toi_truth_def *def, toi_kind kind, toi_truth_header *header)
{
    const toi_truth_entry *entries = def->entries[kind];
    for (int64_t i = 0; i < def->counts[kind]; ++i) {
        const char *flaw =
            toi_truth_entry_flaw(header, kind, i > 0 ? &entries[i - 1] : NULL, &entries[i]);
        if (flaw)
            return toi_fail(TOI_ERROR_DATA,
                            "%s pair %" PRId64 " (%" PRId32 ", %" PRId32 ") of the truth: %s",
                            toi_kind_name(kind), i, entries[i].pair.a, entries[i].pair.b, flaw);
        header->hits[kind] += entries[i].hit;
    }
    return TOI_OK;
}

static toi_status add_to_hash(void *context, const void *data, size_t size)
{
    XXH64_update(context, data, size);
    return TOI_OK;
}

toi_status toi_make_truth_header(const toi_truth_def *def, toi_truth_header *header)
{
    toi_status status = toi_check_mesh(def->mesh);
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK; ++kind) {
        status = toi_check_count(def->counts[kind], kind ? "edge-edge pairs" : "vertex-face pairs");
        if (status == TOI_OK)
            status = toi_check_count(def->candidates[kind],
                                     kind ? "edge-edge candidates" : "vertex-face candidates");
    }
    if (status != TOI_OK)
        return status;
    *header = (toi_truth_header){.byte_order = TOI_TRUTH_BYTE_ORDER,
                                 .version = TOI_TRUTH_VERSION,
                                 .listed = def->listed,
                                 .vertices = def->mesh->start.count,
                                 .edges = def->mesh->edges.count,
                                 .faces = def->mesh->faces.count};
    memcpy(header->magic, TOI_TRUTH_MAGIC, sizeof header->magic);
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK; ++kind) {
        header->candidates[kind] = def->candidates[kind];
        header->counts[kind] = def->counts[kind];
        status = count_hits(def, (toi_kind)kind, header);
    }
    if (status != TOI_OK)
        return status;
    const char *flaw = toi_truth_header_flaw(header);
    if (flaw)
        return toi_fail(TOI_ERROR_DATA, "the truth to be written: %s", flaw);
    toi_truth_lay_out(header);
    for (int i = 0; i < TOI_TRUTH_PARTS; ++i) {
        XXH64_state_t state;
        XXH64_reset(&state, 0);
        stream_section(def, i, add_to_hash, &state);
        header->sections[i].hash = XXH64_digest(&state);
    }
    header->hash = toi_hash(header, offsetof(toi_truth_header, hash));
    return TOI_OK;
}
