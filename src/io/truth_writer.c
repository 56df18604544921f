// Writing truth files. All goes to "PATH.part", certificates one after the other as they come, so
// that a file whose writer was stopped has whole certificates up to some place and can be gone on
// with from there. The bytes do not depend on how many were appended at a time.

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/fp_mode.h"
#include "base/status.h"
#include "io/output.h"
#include "io/truth_sections.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// The entry that the next certificate belongs to, or one before it that does not collide.
typedef struct cursor
{
    toi_kind kind;
    int64_t index;
} cursor;

struct toi_truth_writer
{
    toi_truth_def def;
    toi_truth_header header;
    char *path;         // of the file when it is complete
    char *part;         // and until then
    int file;           // open for reading and writing, locked; -1: not open
    int64_t size;       // of the file
    int64_t begin;      // where the certificates begin
    int64_t done;       // how many are there
    int64_t total;      // how many there will be
    int64_t *offsets;   // of their frames
    XXH64_state_t hash; // of their frames
    cursor next;
    unsigned char *block; // frames to be written
    int64_t block_capacity;
};

static toi_status fail(const toi_truth_writer *writer, const char *what)
{
    return toi_fail_file(writer->part, what, errno);
}

// ---- The file

// Appends to the file; where that fails it is as long as before.
static toi_status append(toi_truth_writer *writer, const void *data, size_t size)
{
    size_t written = 0;
    while (written < size) {
        ssize_t now = pwrite(writer->file, (const char *)data + written, size - written,
                             writer->size + (int64_t)written);
        if (now < 0 && errno == EINTR)
            continue;
        if (now <= 0) {
            toi_status status = fail(writer, "write");
            if (ftruncate(writer->file, writer->size) != 0)
                return fail(writer, "take back what was written");
            return status;
        }
        written += (size_t)now;
    }
    writer->size += (int64_t)size;
    return TOI_OK;
}

static toi_status append_bytes(void *context, const void *data, size_t size)
{
    return append(context, data, size);
}

// Opens and locks the part, so that no two programs write to it; file systems without locks have to
// do without. Between the two it may have been given its name by its writer: then another is
// opened.
static toi_status open_part(toi_truth_writer *writer)
{
    struct stat opened;
    for (;;) {
        writer->file = open(writer->part, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
        if (writer->file < 0)
            return fail(writer, "open");
        if (flock(writer->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            return toi_fail(TOI_ERROR_FILE, "%s: another program is writing it", writer->part);
        if (toi_has_name(writer->file, writer->part))
            break;
        close(writer->file);
    }
    if (fstat(writer->file, &opened) != 0)
        return fail(writer, "read");
    if (!S_ISREG(opened.st_mode))
        return toi_fail(TOI_ERROR_FILE, "%s: exists and is not a regular file", writer->part);
    writer->size = opened.st_size;
    return TOI_OK;
}

// ---- Going on

// Moves to the next entry that collides; there must be one.
static const toi_truth_entry *find_entry(const toi_truth_def *def, cursor *at)
{
    for (;; ++at->index) {
        while (at->index >= def->counts[at->kind])
            *at = (cursor){(toi_kind)(at->kind + 1), 0};
        const toi_truth_entry *entry = &def->entries[at->kind][at->index];
        if (entry->hit)
            return entry;
    }
}

// Takes note of a frame that is in the file.
static void count_frame(toi_truth_writer *writer, int64_t offset, const void *frame, size_t bytes)
{
    writer->offsets[writer->done++] = offset;
    XXH64_update(&writer->hash, frame, bytes);
    find_entry(&writer->def, &writer->next);
    ++writer->next.index;
}

static toi_status compare_bytes(void *context, const void *data, size_t size)
{
    char there[4096];
    for (size_t done = 0, now; done < size; done += now) {
        now = size - done < sizeof there ? size - done : sizeof there;
        if (fread(there, 1, now, context) != now ||
            memcmp(there, (const char *)data + done, now) != 0)
            return TOI_ERROR_FORMAT; // not a failure: the file is begun anew
    }
    return TOI_OK;
}

static uint32_t frame_check(const void *frame, size_t bytes)
{
    return (uint32_t)toi_hash(frame, bytes);
}

// Counts the whole frames that are there; what comes after them is cut off.
static void find_frames(toi_truth_writer *writer, FILE *file)
{
    unsigned char frame[TOI_FRAME_HEAD + TOI_EXACT_TIME_BYTES + TOI_FRAME_TAIL];
    int64_t end = writer->begin;
    while (writer->done < writer->total &&
           fread(frame, 1, TOI_FRAME_HEAD, file) == TOI_FRAME_HEAD) {
        int64_t bytes = toi_frame_bytes(frame, sizeof frame);
        size_t rest = (size_t)bytes - TOI_FRAME_HEAD;
        uint32_t check;
        if (bytes == 0 || fread(frame + TOI_FRAME_HEAD, 1, rest, file) != rest)
            break;
        memcpy(&check, frame + bytes - TOI_FRAME_TAIL, sizeof check);
        if (check != frame_check(frame, (size_t)bytes - TOI_FRAME_TAIL))
            break;
        count_frame(writer, end, frame, (size_t)bytes);
        end += bytes;
    }
    writer->size = end;
}

// Goes on with what is there if it begins as this file does; else nothing is kept.
static toi_status resume(toi_truth_writer *writer)
{
    int copy = dup(writer->file);
    FILE *file = copy >= 0 ? fdopen(copy, "rb") : NULL;
    if (!file) {
        toi_status status = fail(writer, "read");
        if (copy >= 0)
            close(copy);
        return status;
    }
    writer->size = 0;
    if (toi_stream_truth(&writer->def, &writer->header, compare_bytes, file) == TOI_OK)
        find_frames(writer, file);
    fclose(file);
    return ftruncate(writer->file, writer->size) == 0 ? TOI_OK : fail(writer, "shorten");
}

// ---- Beginning

static char *join(const char *text, const char *more)
{
    size_t size = strlen(text) + strlen(more) + 1;
    char *joined = toi_allocate(size);
    if (joined)
        snprintf(joined, size, "%s%s", text, more);
    return joined;
}

static void free_writer(toi_truth_writer *writer)
{
    if (writer->file >= 0)
        close(writer->file);
    toi_release(writer->path);
    toi_release(writer->part);
    toi_release(writer->offsets);
    toi_release(writer->block);
    toi_release(writer);
}

static toi_status begin(toi_truth_writer *writer, const char *path)
{
    char target[PATH_MAX];
    toi_status status = toi_find_target(path, target);
    if (status == TOI_OK)
        status = toi_make_truth_header(&writer->def, &writer->header);
    if (status != TOI_OK)
        return status;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        writer->total += writer->header.hits[kind];
    const toi_truth_section *last = &writer->header.sections[TOI_TRUTH_PARTS - 1];
    writer->begin = last->offset + toi_truth_padded(last->bytes);
    writer->path = join(target, "");
    writer->part = join(target, ".part");
    writer->offsets = toi_allocate((size_t)writer->total * sizeof *writer->offsets);
    if (!writer->path || !writer->part || !writer->offsets)
        return TOI_ERROR_MEMORY;
    status = open_part(writer);
    if (status == TOI_OK && writer->size > 0)
        status = resume(writer);
    if (status != TOI_OK || writer->size > 0)
        return status;
    status = toi_stream_truth(&writer->def, &writer->header, append_bytes, writer);
    if (status != TOI_OK)
        unlink(writer->part); // there is nothing in it to go on with
    return status;
}

toi_status toi_begin_truth(const char *path, const toi_truth_def *def, toi_truth_writer **writer,
                           int64_t *done)
{
    TOI_GUARD_FP;
    *writer = NULL;
    *done = 0;
    toi_truth_writer *begun = toi_allocate(sizeof *begun);
    if (!begun)
        return TOI_ERROR_MEMORY;
    *begun = (toi_truth_writer){.def = *def, .file = -1};
    XXH64_reset(&begun->hash, 0);
    toi_status status = begin(begun, path);
    if (status != TOI_OK) {
        free_writer(begun);
        return status;
    }
    *writer = begun;
    *done = begun->done;
    return TOI_OK;
}

// ---- Certificates

static toi_status reserve_block(toi_truth_writer *writer, int64_t bytes)
{
    if (bytes <= writer->block_capacity)
        return TOI_OK;
    unsigned char *block = toi_allocate((size_t)bytes);
    if (!block)
        return TOI_ERROR_MEMORY;
    toi_release(writer->block);
    writer->block = block;
    writer->block_capacity = bytes;
    return TOI_OK;
}

static int64_t put_frame(unsigned char *frame, const toi_exact_time *time)
{
    int64_t bytes = toi_encode_exact_time(time, frame + TOI_FRAME_HEAD, TOI_EXACT_TIME_BYTES);
    frame[0] = (unsigned char)bytes;
    frame[1] = (unsigned char)(bytes >> 8);
    bytes += TOI_FRAME_HEAD;
    uint32_t check = frame_check(frame, (size_t)bytes);
    memcpy(frame + bytes, &check, sizeof check);
    return bytes + TOI_FRAME_TAIL;
}

// The certificate must be of the time that the list gives.
static toi_status check_time(toi_kind kind, const toi_truth_entry *entry,
                             const toi_exact_time *time)
{
    if (!time)
        return toi_fail(TOI_ERROR_DATA, "%s pair (%" PRId32 ", %" PRId32 "): no certificate",
                        toi_kind_name(kind), entry->pair.a, entry->pair.b);
    double floor = toi_exact_time_floor(time);
    bool is_exact = toi_exact_time_is_double(time);
    if (floor == entry->time && is_exact == entry->time_is_exact)
        return TOI_OK;
    return toi_fail(TOI_ERROR_DATA,
                    "%s pair (%" PRId32 ", %" PRId32 "): the certificate's time is %s %a, but the "
                    "list's is %s %a",
                    toi_kind_name(kind), entry->pair.a, entry->pair.b,
                    is_exact ? "exactly" : "above", floor,
                    entry->time_is_exact ? "exactly" : "above", entry->time);
}

// Checks the certificates and finds how many bytes their frames take.
static toi_status measure(const toi_truth_writer *writer, toi_exact_time *const *times,
                          int64_t count, int64_t *bytes)
{
    cursor at = writer->next;
    toi_status counted = toi_check_count(count, "certificates");
    if (counted != TOI_OK)
        return counted;
    if (count > writer->total - writer->done)
        return toi_fail(TOI_ERROR_ARGUMENT,
                        "%" PRId64 " certificates are appended, but %" PRId64 " are missing", count,
                        writer->total - writer->done);
    for (int64_t i = 0; i < count; ++i, ++at.index) {
        const toi_truth_entry *entry = find_entry(&writer->def, &at);
        toi_status status = check_time(at.kind, entry, times[i]);
        if (status != TOI_OK)
            return status;
        *bytes += TOI_FRAME_HEAD + toi_encode_exact_time(times[i], NULL, 0) + TOI_FRAME_TAIL;
    }
    return TOI_OK;
}

toi_status toi_append_times(toi_truth_writer *writer, toi_exact_time *const *times, int64_t count)
{
    TOI_GUARD_FP;
    int64_t bytes = 0, offset = writer->size, at = 0;
    toi_status status = measure(writer, times, count, &bytes);
    if (status == TOI_OK)
        status = reserve_block(writer, bytes);
    if (status != TOI_OK)
        return status;
    for (int64_t i = 0; i < count; ++i)
        at += put_frame(writer->block + at, times[i]);
    status = append(writer, writer->block, (size_t)bytes);
    for (at = 0; status == TOI_OK && at < bytes;) {
        int64_t frame = toi_frame_bytes(writer->block + at, bytes - at);
        count_frame(writer, offset + at, writer->block + at, (size_t)frame);
        at += frame;
    }
    return status;
}

// ---- Ending

// Appends the zeros after a part of the file.
static toi_status append_zeros(toi_truth_writer *writer, XXH64_state_t *hash)
{
    static const char zeros[TOI_TRUTH_ALIGNMENT];
    size_t count = (size_t)(toi_truth_padded(writer->size) - writer->size);
    XXH64_update(hash, zeros, count);
    return append(writer, zeros, count);
}

static toi_status append_index(toi_truth_writer *writer)
{
    toi_truth_footer footer = {.certificates = {writer->begin, writer->size - writer->begin, 0},
                               .index.bytes = writer->total * (int64_t)sizeof *writer->offsets};
    memcpy(footer.magic, TOI_TRUTH_END_MAGIC, sizeof footer.magic);
    XXH64_state_t hash;
    XXH64_reset(&hash, 0);
    XXH64_update(&hash, writer->offsets, (size_t)footer.index.bytes);
    toi_status status = append_zeros(writer, &writer->hash);
    footer.index.offset = writer->size;
    if (status == TOI_OK)
        status = append(writer, writer->offsets, (size_t)footer.index.bytes);
    if (status == TOI_OK)
        status = append_zeros(writer, &hash);
    footer.certificates.hash = XXH64_digest(&writer->hash);
    footer.index.hash = XXH64_digest(&hash);
    footer.hash = toi_hash(&footer, offsetof(toi_truth_footer, hash));
    return status == TOI_OK ? append(writer, &footer, sizeof footer) : status;
}

static toi_status complete(toi_truth_writer *writer)
{
    int64_t size = writer->size;
    toi_status status = append_index(writer);
    if (status == TOI_OK && fsync(writer->file) != 0)
        status = fail(writer, "write");
    if (status == TOI_OK && rename(writer->part, writer->path) != 0)
        status = fail(writer, "rename");
    if (status != TOI_OK && ftruncate(writer->file, size) != 0)
        return fail(writer, "shorten");
    return status;
}

toi_status toi_end_truth(toi_truth_writer *writer)
{
    if (!writer)
        return TOI_OK;
    toi_status status = writer->done == writer->total ? complete(writer) : TOI_OK;
    free_writer(writer);
    return status;
}
