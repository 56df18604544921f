/// @file
/// Exact truth: which pairs of a moving mesh collide, and when, as algebraic numbers, in one file.
///
/// A truth file holds the mesh at both times, the pairs that were looked at in canonical order, for
/// each whether it collides, the largest double not greater than the time of impact and the
/// certificate of that time (toi/exact.h). It is read through a memory map: opening one reads
/// all of it and copies nothing. docs/truth.md describes its bytes.
///
/// Part of toi_io. Files are not trusted: opening one checks everything that the functions below
/// rely on, except that the pairs and times are true, which only 'toi truth --check' can tell.

#ifndef TOI_TRUTH_H
#define TOI_TRUTH_H

#include "toi/ccd.h"
#include "toi/exact.h"

TOI_EXTERN_C_BEGIN

/// Which pairs a truth file lists.
typedef enum toi_truth_list
{
    TOI_TRUTH_HITS,      ///< every pair that collides; no other pair does
    TOI_TRUTH_CANDIDATES ///< every pair whose swept boxes overlap
} toi_truth_list;

/// An opened truth file. Immutable: any number of threads may read it at once.
typedef struct toi_truth toi_truth;

/// Opens a file: maps it into memory and checks it. Close with toi_close_truth(). Until then nobody
/// may shorten the file; to replace it, as toi_end_truth() does, is harmless.
TOI_API toi_status toi_open_truth(const char *path, toi_truth **truth);

/// The same from `size` bytes in memory, aligned to 8, which must outlive the truth; `name` stands
/// for the file in messages.
TOI_API toi_status toi_parse_truth(const char *name, const void *data, size_t size,
                                   toi_truth **truth);

/// Harmless on NULL.
TOI_API void toi_close_truth(toi_truth *truth);

/// The mesh that moves, with its edges: views of the file's own memory, valid until it is closed.
TOI_API toi_mesh toi_truth_mesh(const toi_truth *truth);

/// Which pairs the file lists.
TOI_API toi_truth_list toi_truth_listed(const toi_truth *truth);

/// How many pairs of swept boxes overlapped when the file was made.
TOI_API int64_t toi_truth_candidates(const toi_truth *truth, toi_kind kind);

/// How many pairs of a kind the file lists.
TOI_API int64_t toi_truth_count(const toi_truth *truth, toi_kind kind);

/// How many of them collide.
TOI_API int64_t toi_truth_hits(const toi_truth *truth, toi_kind kind);

/// A pair of the list. Sorted by (a, b).
typedef struct toi_truth_entry
{
    toi_pair pair;      ///< its two primitives
    bool hit;           ///< do they touch at some time of the step?
    bool time_is_exact; ///< the time of impact is this very double
    double time; ///< the largest double not greater than the time of impact; infinite: no impact
} toi_truth_entry;

/// Entry number `index` of a kind; `index` must be in [0, count).
TOI_API toi_truth_entry toi_truth_at(const toi_truth *truth, toi_kind kind, int64_t index);

/// The certificate of an entry's time, to free with toi_free_exact_time(); NULL where it does not
/// collide. Refused (TOI_ERROR_FORMAT) where the file's bytes are not those of a certificate, or of
/// another time than the entry's.
TOI_API toi_status toi_truth_time(const toi_truth *truth, toi_kind kind, int64_t index,
                                  toi_exact_time **time);

/// A file being written, by one thread at a time. Everything goes to "PATH.part" first; what is
/// there already is kept if it was begun for the same mesh and the same pairs, so that work that
/// was stopped can go on. The file's bytes do not depend on how often that was, nor on how many
/// certificates were appended at a time.
typedef struct toi_truth_writer toi_truth_writer;

/// What is to be written: all but the certificates. The arrays must outlive the writer.
typedef struct toi_truth_def
{
    const toi_mesh *mesh;               ///< with its edges
    toi_truth_list listed;              ///< which pairs `entries` has
    int64_t candidates[TOI_PAIR_KINDS]; ///< how many pairs of swept boxes overlap
    /// The pairs, in canonical order, of each kind, and the result for each: the times of those
    /// that do not collide are infinite.
    const toi_truth_entry *entries[TOI_PAIR_KINDS];
    int64_t counts[TOI_PAIR_KINDS]; ///< how many entries of each kind
} toi_truth_def;

/// Begins a file or goes on with it. `done` receives how many certificates are there already.
/// Certificates are counted over the entries that collide, vertex-face first. Refused: a mesh that
/// toi_check_mesh() refuses, entries that are not as said above (TOI_ERROR_DATA), and a part that
/// another writer has open. A file that has the name already stays until toi_end_truth().
TOI_API toi_status toi_begin_truth(const char *path, const toi_truth_def *def,
                                   toi_truth_writer **writer, int64_t *done);

/// Appends the next certificates: all of them, or on failure none. They have left the program when
/// this returns, so that they are there after it was killed. Refused where one is not of the time
/// that its entry has (TOI_ERROR_DATA).
TOI_API toi_status toi_append_times(toi_truth_writer *writer, toi_exact_time *const *times,
                                    int64_t count);

/// Ends the file: when every certificate is there it gets its name, else it stays "PATH.part" for
/// another day. Frees the writer, on failure too, after which the part can be gone on with.
/// Harmless on NULL.
TOI_API toi_status toi_end_truth(toi_truth_writer *writer);

TOI_EXTERN_C_END

#endif
