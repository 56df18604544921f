// Reading truth files in place. Everything but the certificates' contents is checked when a file is
// opened, in one pass; certificates are checked as they are asked for.

#include "io/truth_layout.h"
#include "toi/io.h"

#include "base/fp_mode.h"
#include "io/map.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum
{
    RANK_STRIDE = 256
};

struct toi_truth
{
    char *name;
    const unsigned char *data;
    size_t size;
    bool mapped; // the bytes are our own map of the file
    const toi_truth_header *header;
    const toi_truth_footer *footer;
    // Where candidates are listed: of every RANK_STRIDE pairs, how many hits are before them.
    int64_t *ranks[TOI_PAIR_KINDS];
};

static toi_status refuse(const toi_truth *truth, const char *what)
{
    return toi_fail(TOI_ERROR_FORMAT, "%s: %s", truth->name, what);
}

// ---- Access

static const void *section(const toi_truth *truth, toi_truth_part part, toi_kind kind)
{
    return truth->data + truth->header->sections[toi_truth_section_of(part, (int)kind)].offset;
}

toi_mesh toi_truth_mesh(const toi_truth *truth)
{
    const toi_truth_header *header = truth->header;
    toi_mesh mesh =
        toi_make_mesh(section(truth, TOI_TRUTH_START, 0), section(truth, TOI_TRUTH_END, 0),
                      header->vertices, section(truth, TOI_TRUTH_FACES, 0), header->faces);
    mesh.edges = (toi_index_view){section(truth, TOI_TRUTH_EDGES, 0), header->edges, 0};
    return mesh;
}

toi_truth_list toi_truth_listed(const toi_truth *truth)
{
    return (toi_truth_list)truth->header->listed;
}

int64_t toi_truth_candidates(const toi_truth *truth, toi_kind kind)
{
    return truth->header->candidates[kind];
}

int64_t toi_truth_count(const toi_truth *truth, toi_kind kind)
{
    return truth->header->counts[kind];
}

int64_t toi_truth_hits(const toi_truth *truth, toi_kind kind)
{
    return truth->header->hits[kind];
}

// An entry, of which `rank` hits are before.
static toi_truth_entry entry_at(const toi_truth *truth, toi_kind kind, int64_t index, int64_t rank)
{
    const toi_pair *pairs = section(truth, TOI_TRUTH_PAIRS, kind);
    const uint8_t *flags = section(truth, TOI_TRUTH_FLAGS, kind);
    const double *times = section(truth, TOI_TRUTH_TIMES, kind);
    bool hit = flags[index] & TOI_TRUTH_HIT;
    return (toi_truth_entry){.pair = pairs[index],
                             .hit = hit,
                             .time_is_exact = (flags[index] & TOI_TRUTH_EXACT) != 0,
                             .time = hit ? times[rank] : INFINITY};
}

// How many hits of the kind are before an entry.
static int64_t rank_of(const toi_truth *truth, toi_kind kind, int64_t index)
{
    if (!truth->ranks[kind])
        return index; // all are hits
    const uint8_t *flags = section(truth, TOI_TRUTH_FLAGS, kind);
    int64_t rank = truth->ranks[kind][index / RANK_STRIDE];
    for (int64_t i = index / RANK_STRIDE * RANK_STRIDE; i < index; ++i)
        rank += flags[i] & TOI_TRUTH_HIT;
    return rank;
}

toi_truth_entry toi_truth_at(const toi_truth *truth, toi_kind kind, int64_t index)
{
    const uint8_t *flags = section(truth, TOI_TRUTH_FLAGS, kind);
    int64_t rank = flags[index] & TOI_TRUTH_HIT ? rank_of(truth, kind, index) : 0;
    return entry_at(truth, kind, index, rank);
}

toi_status toi_truth_time(const toi_truth *truth, toi_kind kind, int64_t index,
                          toi_exact_time **time)
{
    TOI_GUARD_FP;
    toi_truth_entry entry = toi_truth_at(truth, kind, index);
    *time = NULL;
    if (!entry.hit)
        return TOI_OK;
    int64_t number = rank_of(truth, kind, index);
    for (int earlier = 0; earlier < (int)kind; ++earlier)
        number += truth->header->hits[earlier];
    const int64_t *offsets = (const void *)(truth->data + truth->footer->index.offset);
    const unsigned char *frame = truth->data + offsets[number];
    int64_t bytes = toi_frame_bytes(frame, (int64_t)truth->size - offsets[number]) -
                    TOI_FRAME_HEAD - TOI_FRAME_TAIL;
    toi_status status = toi_decode_exact_time(frame + TOI_FRAME_HEAD, bytes, time);
    if (status == TOI_OK && toi_exact_time_floor(*time) == entry.time &&
        toi_exact_time_is_double(*time) == entry.time_is_exact)
        return TOI_OK;
    char what[256] = "the certificate is of another time than the list gives";
    if (status != TOI_OK)
        snprintf(what, sizeof what, "%s", toi_last_message());
    toi_free_exact_time(*time);
    *time = NULL;
    return toi_fail(status != TOI_OK ? status : TOI_ERROR_FORMAT,
                    "%s: %s pair %" PRId64 " (%" PRId32 ", %" PRId32 "): %s", truth->name,
                    toi_kind_name(kind), index, entry.pair.a, entry.pair.b, what);
}

// ---- Checking

static bool hash_fits(const toi_truth *truth, const toi_truth_section *checked)
{
    size_t bytes = (size_t)toi_truth_padded(checked->bytes);
    return toi_hash(truth->data + checked->offset, bytes) == checked->hash;
}

static toi_status check_header(const toi_truth *truth)
{
    const toi_truth_header *header = truth->header;
    if (truth->size < sizeof *header + sizeof *truth->footer ||
        memcmp(header->magic, TOI_TRUTH_MAGIC, sizeof header->magic) != 0)
        return refuse(truth, "is not a truth file");
    if (header->byte_order != TOI_TRUTH_BYTE_ORDER)
        return refuse(truth, "its byte order is not this machine's");
    if (header->version != TOI_TRUTH_VERSION)
        return toi_fail(TOI_ERROR_FORMAT, "%s: is of version %" PRIu32 "; this program reads %d",
                        truth->name, header->version, TOI_TRUTH_VERSION);
    if (header->hash != toi_hash(header, offsetof(toi_truth_header, hash)))
        return refuse(truth, "its header is damaged");
    const char *flaw = toi_truth_header_flaw(header);
    return flaw ? refuse(truth, flaw) : TOI_OK;
}

// The counts leave no choice where things are, so that is what must be written.
static toi_status check_layout(const toi_truth *truth)
{
    const toi_truth_header *header = truth->header;
    const toi_truth_footer *footer = truth->footer;
    int64_t size = (int64_t)truth->size;
    if (header->vertices > size || header->edges > size || header->faces > size ||
        header->counts[0] > size || header->counts[1] > size)
        return refuse(truth, "is shorter than its header says");
    toi_truth_header expected = *header;
    int64_t fixed = toi_truth_lay_out(&expected);
    if (memcmp(&expected, header, sizeof expected) != 0)
        return refuse(truth, "its table of sections is not that of its counts");
    if (fixed > size - (int64_t)sizeof *footer ||
        memcmp(footer->magic, TOI_TRUTH_END_MAGIC, sizeof footer->magic) != 0)
        return refuse(truth, "is cut off");
    if (footer->hash != toi_hash(footer, offsetof(toi_truth_footer, hash)))
        return refuse(truth, "its last bytes are damaged");
    int64_t index_bytes = (header->hits[0] + header->hits[1]) * (int64_t)sizeof(int64_t);
    int64_t room = size - (int64_t)sizeof *footer - fixed - toi_truth_padded(index_bytes);
    if (footer->certificates.offset != fixed || footer->certificates.bytes < 0 ||
        footer->certificates.bytes > room || toi_truth_padded(footer->certificates.bytes) != room ||
        footer->index.offset != fixed + room || footer->index.bytes != index_bytes)
        return refuse(truth, "its last bytes are not those of its counts");
    return TOI_OK;
}

static toi_status check_hashes(const toi_truth *truth)
{
    static const char *const names[] = {
        "positions at t = 0", "positions at t = 1", "faces", "edges", "pairs", "flags", "times"};
    for (int i = 0; i < TOI_TRUTH_PARTS; ++i)
        if (!hash_fits(truth, &truth->header->sections[i]))
            return toi_fail(TOI_ERROR_FORMAT, "%s: the %s are damaged", truth->name,
                            names[i > TOI_TRUTH_TIMES ? i - TOI_TRUTH_KIND_PARTS : i]);
    if (!hash_fits(truth, &truth->footer->certificates))
        return refuse(truth, "the certificates are damaged");
    return hash_fits(truth, &truth->footer->index) ? TOI_OK : refuse(truth, "the index is damaged");
}

static toi_status check_mesh(const toi_truth *truth)
{
    toi_mesh mesh = toi_truth_mesh(truth);
    toi_status status = toi_check_mesh(&mesh);
    if (status == TOI_OK)
        return TOI_OK;
    char what[256];
    snprintf(what, sizeof what, "%s", toi_last_message());
    return toi_fail(status == TOI_ERROR_MEMORY ? status : TOI_ERROR_FORMAT, "%s: %s", truth->name,
                    what);
}

// Checks every entry of a kind, and where candidates are listed counts the hits on the way.
static toi_status check_entries(toi_truth *truth, toi_kind kind)
{
    const toi_truth_header *header = truth->header;
    const uint8_t *flags = section(truth, TOI_TRUTH_FLAGS, kind);
    int64_t count = header->counts[kind], hits = 0;
    if (header->listed == TOI_TRUTH_CANDIDATES) {
        size_t stretches = (size_t)(count / RANK_STRIDE + 1);
        truth->ranks[kind] = toi_allocate(stretches * sizeof *truth->ranks[kind]);
        if (!truth->ranks[kind])
            return TOI_ERROR_MEMORY;
    }
    toi_truth_entry before = {0}, entry = {0};
    for (int64_t i = 0; i < count; ++i, before = entry) {
        if (truth->ranks[kind] && i % RANK_STRIDE == 0)
            truth->ranks[kind][i / RANK_STRIDE] = hits;
        const char *flaw = NULL;
        if (flags[i] & ~(TOI_TRUTH_HIT | TOI_TRUTH_EXACT))
            flaw = "it has a flag that does not exist";
        else if ((flags[i] & TOI_TRUTH_HIT) && hits == header->hits[kind])
            flaw = "there are more hits than the header says";
        if (!flaw) {
            entry = entry_at(truth, kind, i, hits);
            flaw = toi_truth_entry_flaw(header, kind, i > 0 ? &before : NULL, &entry);
        }
        if (flaw)
            return toi_fail(TOI_ERROR_FORMAT, "%s: %s pair %" PRId64 ": %s", truth->name,
                            toi_kind_name(kind), i, flaw);
        hits += entry.hit;
    }
    return hits == header->hits[kind] ? TOI_OK
                                      : refuse(truth, "there are fewer hits than its header says");
}

// The frames follow each other without a gap, each where the index says.
static toi_status check_frames(const toi_truth *truth)
{
    const toi_truth_section *certificates = &truth->footer->certificates;
    const int64_t *offsets = (const void *)(truth->data + truth->footer->index.offset);
    int64_t count = truth->header->hits[0] + truth->header->hits[1];
    int64_t at = certificates->offset, end = at + certificates->bytes;
    for (int64_t i = 0; i < count; ++i) {
        int64_t bytes = toi_frame_bytes(truth->data + at, end - at);
        if (bytes == 0 || offsets[i] != at)
            return toi_fail(TOI_ERROR_FORMAT, "%s: certificate %" PRId64 " is not in its place",
                            truth->name, i);
        at += bytes;
    }
    return at == end ? TOI_OK : refuse(truth, "there are bytes after the last certificate");
}

static toi_status check(toi_truth *truth)
{
    toi_status status = check_header(truth);
    if (status == TOI_OK)
        status = check_layout(truth);
    if (status == TOI_OK)
        status = check_hashes(truth);
    if (status == TOI_OK)
        status = check_mesh(truth);
    for (int kind = 0; kind < TOI_PAIR_KINDS && status == TOI_OK; ++kind)
        status = check_entries(truth, (toi_kind)kind);
    return status == TOI_OK ? check_frames(truth) : status;
}

// ---- Opening

// Takes over a map of the file.
static toi_status open_bytes(const char *name, const void *data, size_t size, bool mapped,
                             toi_truth **truth)
{
    size_t name_bytes = strlen(name) + 1;
    toi_truth *opened = toi_allocate(sizeof *opened);
    char *copy = opened ? toi_allocate(name_bytes) : NULL;
    if (!copy) {
        toi_release(opened);
        if (mapped)
            munmap((void *)data, size);
        return TOI_ERROR_MEMORY;
    }
    memcpy(copy, name, name_bytes);
    *opened =
        (toi_truth){.name = copy, .data = data, .size = size, .mapped = mapped, .header = data};
    if (size >= sizeof *opened->header + sizeof *opened->footer)
        opened->footer = (const void *)(opened->data + (size - sizeof *opened->footer) / 8 * 8);
    toi_status status = check(opened);
    if (status == TOI_OK)
        *truth = opened;
    else
        toi_close_truth(opened);
    return status;
}

toi_status toi_parse_truth(const char *name, const void *data, size_t size, toi_truth **truth)
{
    TOI_GUARD_FP;
    *truth = NULL;
    if ((uintptr_t)data % 8 != 0)
        return toi_fail(TOI_ERROR_ARGUMENT, "%s: the bytes are not aligned to 8", name);
    return open_bytes(name, data, size, false, truth);
}

toi_status toi_open_truth(const char *path, toi_truth **truth)
{
    TOI_GUARD_FP;
    *truth = NULL;
    void *data = NULL;
    size_t size = 0;
    toi_status status = toi_map_file(path, &data, &size);
    return status == TOI_OK ? open_bytes(path, data, size, true, truth) : status;
}

void toi_close_truth(toi_truth *truth)
{
    if (!truth)
        return;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        toi_release(truth->ranks[kind]);
    if (truth->mapped)
        munmap((void *)truth->data, truth->size);
    toi_release(truth->name);
    toi_release(truth);
}
