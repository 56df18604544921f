// Writes the lists of a step in the public formats.

#include "truth_write.h"

#include "output.h"
#include "toi/io.h"

#include <inttypes.h>

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

// Blocks of queries, one behind the other, keep the memory small.
static toi_status write_queries(FILE *file, toi_kind kind, const toi_mesh *mesh,
                                const toi_truth_entry *entries, int64_t count)
{
    toi_query *queries = toi_allocate(QUERY_BLOCK * sizeof *queries);
    bool *hits = toi_allocate(QUERY_BLOCK * sizeof *hits);
    toi_status status = queries && hits ? TOI_OK : TOI_ERROR_MEMORY;
    for (int64_t first = 0; first < count && status == TOI_OK; first += QUERY_BLOCK) {
        int64_t size = count - first < QUERY_BLOCK ? count - first : QUERY_BLOCK;
        for (int64_t i = 0; i < size; ++i) {
            queries[i] = toi_gather_query(mesh, kind, entries[first + i].pair);
            hits[i] = entries[first + i].hit;
        }
        status = toi_print_queries(file, queries, hits, size);
    }
    toi_release(queries);
    toi_release(hits);
    return status;
}

toi_status write_truth_list(const char *path, truth_format format, toi_kind kind,
                            const toi_mesh *mesh, const truth_entries *found)
{
    const toi_truth_entry *entries = found->at[kind];
    int64_t count = found->counts[kind];
    toi_output output;
    toi_status status = toi_open_output(path, &output);
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
        written = write_queries(output.file, kind, mesh, entries, count);
    if (written != TOI_OK) {
        toi_discard_output(&output);
        return written;
    }
    return toi_close_output(&output);
}
