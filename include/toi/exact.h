/// @file
/// Certificates: times of impact as algebraic numbers, which can be compared exactly.
///
/// A time of impact is a root of a polynomial of degree at most three whose coefficients are whole
/// numbers (doubles are whole multiples of a power of two). A `toi_exact_time` holds that
/// polynomial and an interval that contains this one of its roots and no other.

#ifndef TOI_EXACT_H
#define TOI_EXACT_H

#include "toi/narrow_phase.h"

TOI_EXTERN_C_BEGIN

/// A time in [0, 1], exactly. Immutable: any number of threads may use it at once.
typedef struct toi_exact_time toi_exact_time;

/// One contact: from when to when they touch. Nearly always a single instant, `from` = `to`.
typedef struct toi_exact_contact
{
    toi_exact_time *from; ///< when it begins
    toi_exact_time *to;   ///< the same object as `from` where the contact is one instant
} toi_exact_contact;

/// All contacts of a query in [0, 1], in order. Start from a zeroed one; free with
/// toi_free_exact_contacts().
typedef struct toi_exact_contacts
{
    toi_exact_contact *data; ///< the contacts
    int64_t count;           ///< how many there are
} toi_exact_contacts;

/// Finds every contact of a query, of any kind, exactly. The first contact's `from` is the time of
/// impact. Coordinates must be finite. On failure `contacts` is left empty.
TOI_API toi_status toi_find_exact_contacts(toi_kind kind, const toi_query *query,
                                           toi_exact_contacts *contacts);

/// Frees the times and empties the list; harmless on a zeroed one.
TOI_API void toi_free_exact_contacts(toi_exact_contacts *contacts);

/// The first time of impact of each of `count` queries of one kind: times[i], NULL where query i
/// has no contact. Coordinates must be finite. The times do not depend on the number of workers (0:
/// toi_default_workers()). Free each with toi_free_exact_time(). On failure all are NULL.
TOI_API toi_status toi_find_exact_times(toi_kind kind, const toi_query *queries, int64_t count,
                                        int workers, toi_exact_time **times);

/// Frees a time of toi_find_exact_times() or toi_decode_exact_time(), not one of a contact, which
/// belongs to its list; harmless on NULL.
TOI_API void toi_free_exact_time(toi_exact_time *time);

/// No encoded time is longer: docs/truth.md derives it.
#define TOI_EXACT_TIME_BYTES 8192

/// Writes the time to `bytes` in the form that docs/truth.md describes, the same on every machine,
/// if it fits in `capacity`. Returns how many bytes it takes; 0 capacity: only that.
TOI_API int64_t toi_encode_exact_time(const toi_exact_time *time, void *bytes, int64_t capacity);

/// Reads what toi_encode_exact_time() has written. The bytes are not trusted: what is not the
/// certificate of one number in [0, 1] is refused (TOI_ERROR_FORMAT), and the floor is found anew.
TOI_API toi_status toi_decode_exact_time(const void *bytes, int64_t size, toi_exact_time **time);

/// The largest double not greater than the time: what `exact` returns.
TOI_API double toi_exact_time_floor(const toi_exact_time *time);

/// Is the time exactly its floor?
TOI_API bool toi_exact_time_is_double(const toi_exact_time *time);

/// -1, 0 or 1: the time is before, at or after `other`, which must not be NaN.
TOI_API int toi_exact_time_compare_double(const toi_exact_time *time, double other);

/// -1, 0 or 1: the time is before, the same as or after `other`. Sets `order`; can fail for want of
/// memory only.
TOI_API toi_status toi_exact_time_compare(const toi_exact_time *time, const toi_exact_time *other,
                                          int *order);

/// The polynomial's degree, 1 to 3. It is square-free and primitive.
TOI_API int toi_exact_time_degree(const toi_exact_time *time);

/// The coefficient of t^power, a whole number in decimal digits, as a string to free with
/// toi_release(); NULL for want of memory or where power is not in [0, degree].
TOI_API char *toi_exact_time_coefficient(const toi_exact_time *time, int power);

/// The isolating interval as lo / 2^bits and hi / 2^bits: whole numbers in decimal digits, strings
/// to free with toi_release(). lo = hi where the time is that very number, else lo < time < hi.
TOI_API toi_status toi_exact_time_bounds(const toi_exact_time *time, char **lo, char **hi,
                                         int64_t *bits);

TOI_EXTERN_C_END

#endif
