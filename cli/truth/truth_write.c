#include "truth_write.h"

#include "output.h"
#include "toi/io.h"

#include <inttypes.h>
#include <unistd.h>

enum
{
    QUERY_BLOCK = 1 << 15 // queries in memory at once
};

// Boxes are numbered through: vertices, edges, faces.
static void write_boxes(FILE *file, toi_kind kind, const toi_mesh *mesh,
                        const toi_truth_entry *entries, int64_t count)
{
    int64_t edges = mesh->start.count, faces = edges + mesh->edges.count;
    int64_t first = kind == TOI_VERTEX_FACE ? 0 : edges;
    int64_t second = kind == TOI_VERTEX_FACE ? faces : edges;
    putc('[', file);
    for (int64_t i = 0; i < count; ++i)
        fprintf(file, "%s[%" PRId64 ",%" PRId64 "]", i > 0 ? "," : "", first + entries[i].pair.a,
                second + entries[i].pair.b);
    fputs("]\n", file);
}

static void write_booleans(FILE *file, const toi_truth_entry *entries, int64_t count)
{
    putc('[', file);
    for (int64_t i = 0; i < count; ++i)
        fprintf(file, "%s%s", i > 0 ? "," : "", entries[i].hit ? "true" : "false");
    fputs("]\n", file);
}

static void write_times(FILE *file, const toi_truth_entry *entries, int64_t count)
{
    for (int64_t i = 0; i < count; ++i) {
        if (entries[i].hit)
            fprintf(file, "1,%a\n", entries[i].time);
        else
            fputs("0,\n", file);
    }
}

static toi_status append_file(FILE *to, const char *path)
{
    char bytes[1 << 14];
    size_t size;
    FILE *from = fopen(path, "rb");
    if (!from)
        return toi_fail(TOI_ERROR_FILE, "%s: cannot read what was just written", path);
    while ((size = fread(bytes, 1, sizeof bytes, from)) > 0)
        fwrite(bytes, 1, size, to);
    toi_status status =
        ferror(from) ? toi_fail(TOI_ERROR_FILE, "%s: cannot read what was just written", path)
                     : TOI_OK;
    fclose(from);
    return status;
}

static toi_status write_query_block(const char *path, toi_kind kind, const toi_mesh *mesh,
                                    const toi_truth_entry *entries, int64_t count,
                                    toi_query *queries, bool *hits)
{
    for (int64_t i = 0; i < count; ++i) {
        queries[i] = toi_gather_query(mesh, kind, entries[i].pair);
        hits[i] = entries[i].hit;
    }
    return toi_write_queries(path, queries, hits, count);
}

// The library writes a file of queries from one array; blocks of them, one file behind the other,
// are the same bytes and keep the memory small.
static toi_status write_queries(FILE *file, const char *path, toi_kind kind, const toi_mesh *mesh,
                                const toi_truth_entry *entries, int64_t count)
{
    char part[PATH_MAX];
    if (snprintf(part, sizeof part, "%s.block", path) >= PATH_MAX)
        return toi_fail(TOI_ERROR_FILE, "%s: the name is too long", path);
    toi_query *queries = toi_allocate(QUERY_BLOCK * sizeof *queries);
    bool *hits = toi_allocate(QUERY_BLOCK * sizeof *hits);
    toi_status status = queries && hits ? TOI_OK : TOI_ERROR_MEMORY;
    for (int64_t i = 0; i < count && status == TOI_OK; i += QUERY_BLOCK) {
        int64_t size = count - i < QUERY_BLOCK ? count - i : QUERY_BLOCK;
        status = write_query_block(part, kind, mesh, entries + i, size, queries, hits);
        if (status == TOI_OK)
            status = append_file(file, part);
    }
    unlink(part);
    toi_release(queries);
    toi_release(hits);
    return status;
}

toi_status write_truth_list(const char *path, truth_format format, toi_kind kind,
                            const toi_mesh *mesh, const truth_entries *found)
{
    const toi_truth_entry *entries = found->at[kind];
    int64_t count = found->counts[kind];
    output_file output;
    toi_status status = open_output(path, &output);
    if (status != TOI_OK)
        return status;
    toi_status written = TOI_OK;
    if (format == FORMAT_BOXES)
        write_boxes(output.file, kind, mesh, entries, count);
    else if (format == FORMAT_BOOLEANS)
        write_booleans(output.file, entries, count);
    else if (format == FORMAT_TIMES)
        write_times(output.file, entries, count);
    else
        written = write_queries(output.file, path, kind, mesh, entries, count);
    if (written != TOI_OK) {
        discard_output(&output);
        return written;
    }
    return close_output(&output);
}
