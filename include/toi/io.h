/// @file
/// Files: PLY, OBJ and STL meshes, the rational query CSV of the public collision datasets, baked
/// distance fields, writers.
///
/// A library of its own (toi_io); the core library does no file I/O. Files are not trusted: every
/// count is checked against the file's size before memory is taken, and an error names the file and
/// the line ("NAME:LINE: ...") or the byte ("NAME: byte N: ..."), both in toi_last_message().
///
/// Failures: TOI_ERROR_FILE when a file cannot be opened, is not a regular file, or cannot be read
/// or written; TOI_ERROR_FORMAT when it is not what it claims to be; TOI_ERROR_DATA for a
/// coordinate that is not finite or an index out of range; TOI_ERROR_LIMIT beyond 2^31 - 1
/// elements, and where there is no room: a full disk, a quota, the greatest size of a file, too
/// many open files. (Beyond the greatest size the system ends a program that does not ignore
/// SIGXFSZ.)
///
/// Every file is written whole or not at all, see toi_output.

#ifndef TOI_IO_H
#define TOI_IO_H

#include "toi/mesh.h"
#include "toi/narrow_phase.h"
#include "toi/sdf.h"

#include <stdio.h>

TOI_EXTERN_C_BEGIN

/// A mesh read from a file. All arrays are the library's; free with toi_free_mesh_file(). All
/// coordinates are finite, all indices in range.
typedef struct toi_mesh_file
{
    double (*points)[3]; ///< in the order of the file
    int64_t point_count; ///< how many points
    int32_t (*faces)[3]; ///< polygons are fanned into triangles from their first corner, strips cut
                         ///< into them
    int64_t face_count;  ///< how many triangles
    int32_t (*loose_edges)[2]; ///< edges the file names itself: PLY `edge`, OBJ `l`
    int64_t loose_edge_count;  ///< how many of them
} toi_mesh_file;

/// Reads a PLY (ascii, binary of either endianness), OBJ or STL (ascii, binary) file. The format is
/// taken from the contents, then from the name's ending. Decimal text becomes the nearest double,
/// whatever the locale. Properties, elements and keywords that are no part of a mesh are skipped.
/// An STL's equal corners (-0 equals 0) become one vertex; vertices are numbered by first
/// appearance. A PLY may have faces and triangle strips (element `tristrips`). In a strip each
/// vertex makes a triangle with the two before it, every second one turned; a -1 begins another
/// strip. Where two of the three are the same vertex there is no triangle: that is how strips are
/// joined. A strip of one or two vertices is refused, as a face of two is.
TOI_API toi_status toi_read_mesh(const char *path, toi_mesh_file *mesh);

/// The same from `size` bytes in memory; `name` stands for the file in messages and may carry its
/// ending.
TOI_API toi_status toi_parse_mesh(const char *name, const void *data, size_t size,
                                  toi_mesh_file *mesh);

/// Reads the same mesh at two times. The number of points, the faces and the loose edges must agree
/// (TOI_ERROR_DATA); corners of STL files are welded where they agree at both times, so that both
/// frames keep the same vertices. Either both files are STL or none.
TOI_API toi_status toi_read_frames(const char *start_path, const char *end_path,
                                   toi_mesh_file *start, toi_mesh_file *end);

/// Frees and empties; harmless on a zeroed one.
TOI_API void toi_free_mesh_file(toi_mesh_file *mesh);

/// A file that is written whole or not at all. What is written goes to a temporary file beside it,
/// "PATH.toi-N.tmp" with a number N, which gets the name at the end: a failure leaves nothing
/// half-written, and an older file as it was. The temporary file is locked (flock) as long as
/// somebody writes it. One that is not was left by a program that was killed; it is removed when
/// the same file is written again.
typedef struct toi_output
{
    FILE *file;                     ///< write here without looking at errors: closing tells
    struct toi_output_state *state; ///< the library's own
} toi_output;

/// Opens a file to be written. Symbolic links are followed. A device or a pipe is written directly:
/// what it got it keeps. At most TOI_MAX_WORKERS outputs of a process are open at once.
TOI_API toi_status toi_open_output(const char *path, toi_output *output);

/// Gives the file its name if all was written, else removes it and says what went wrong. Afterwards
/// the output is closed, on failure too.
TOI_API toi_status toi_close_output(toi_output *output);

/// Instead of closing it: what was written is forgotten, and an older file stays as it was.
TOI_API void toi_discard_output(toi_output *output);

/// Removes the temporary files of all outputs that this process has open, those inside
/// toi_write_ply() and toi_write_queries() too, and lets no further one be opened. For a handler of
/// a signal that ends the program: it is safe there, whichever thread does what meanwhile. The
/// library catches no signals itself.
TOI_API void toi_remove_temporaries(void);

/// Sets this thread's message to "PATH: cannot WHAT: " and the words for the errno value `error`,
/// and returns the status that the functions here return for it: TOI_ERROR_LIMIT where there is no
/// room, else TOI_ERROR_FILE. For programs that use files of their own.
TOI_API toi_status toi_fail_file(const char *path, const char *what, int error);

/// Writes a binary little-endian PLY with double coordinates. `edges` may be empty. What
/// toi_read_mesh() would refuse is not written (TOI_ERROR_DATA), nor is a path that exists and is
/// not a regular file (TOI_ERROR_FILE).
TOI_API toi_status toi_write_ply(const char *path, toi_point_view points, toi_index_view faces,
                                 toi_index_view edges);

/// Reads a baked field. The file is mapped, not copied, and checked in full (toi_open_field()). Do
/// not change or cut it while the field lives: give a new file the old one's name instead, as
/// toi_write_field() does.
TOI_API toi_status toi_read_field(const char *path, toi_field **field);

/// Writes a baked field; TOI_ERROR_ARGUMENT if it is not one.
TOI_API toi_status toi_write_field(const char *path, const toi_field *field);

/// Queries of a CSV: eight rows each of x_num,x_den,y_num,y_den,z_num,z_den,hit.
typedef struct toi_query_file
{
    toi_query *queries; ///< in the order of the file
    bool *hits;         ///< the file's own answers, or NULL when it has no seventh column
    int64_t count;      ///< how many queries
} toi_query_file;

/// Reads a query CSV exactly. A rational that is not a double is an error that names its line,
/// never rounded. Integers may have up to 100,000 digits and fractions need not be reduced; "-0" is
/// the negative zero. A first line of column names is skipped. An empty file holds no queries.
TOI_API toi_status toi_read_queries(const char *path, toi_query_file *file);

/// The same from memory.
TOI_API toi_status toi_parse_queries(const char *name, const void *data, size_t size,
                                     toi_query_file *file);

/// Frees and empties; harmless on a zeroed one.
TOI_API void toi_free_query_file(toi_query_file *file);

/// Writes queries as exact rationals in the format above; `hits` may be NULL (then there is no
/// seventh column). Reading them again gives the same bits.
TOI_API toi_status toi_write_queries(const char *path, const toi_query *queries, const bool *hits,
                                     int64_t count);

/// Writes the rows of queries to an open file, behind what is there: for more queries than fit in
/// memory. Fails only for a coordinate that is not finite (TOI_ERROR_DATA) or a negative count;
/// a failure to write `file` shows when it is closed.
TOI_API toi_status toi_print_queries(FILE *file, const toi_query *queries, const bool *hits,
                                     int64_t count);

TOI_EXTERN_C_END

#endif
