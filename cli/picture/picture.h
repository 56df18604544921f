/// @file
/// Pictures of a mesh and its impacts, or of what is the matter with it: one self-contained SVG
/// file, small enough for a browser, or a PNG file.

#ifndef TOI_CLI_PICTURE_H
#define TOI_CLI_PICTURE_H

#include "toi/base.h"

/// An impact to mark.
typedef struct picture_impact
{
    double start[3];       ///< the spot of the mesh that is hit, at t = 0
    double end[3];         ///< and at t = 1: marks move with the mesh
    bool apart;            ///< is it hit from a distance? Then the gap is drawn
    double other_start[3]; ///< the spot at the other end of the gap, at t = 0
    double other_end[3];   ///< and at t = 1
    double time;
    double normal[3]; ///< drawn as a short arrow; zero for none
} picture_impact;

/// A kind of faces or of lines.
typedef struct picture_kind
{
    const char *name; ///< in the legend
    double colour[3]; ///< red, green, blue, from 0 to 1
} picture_kind;

enum
{
    MOST_KINDS = 8 ///< of faces, and of lines
};

/// A line on the mesh, or a point where both ends are the same.
typedef struct picture_line
{
    double from[3];
    double to[3];
    int32_t kind; ///< its number among `line_kinds`
} picture_line;

/// What is drawn. A zeroed one is an empty picture; all arrays are only read during the call, and
/// may be NULL where their count is 0.
typedef struct picture
{
    const char *title;    ///< first line, UTF-8; NULL for none
    const char *subtitle; ///< second line; NULL for none
    int64_t point_count;
    const double (*start)[3]; ///< positions at t = 0
    const double (*end)[3];   ///< and at t = 1; NULL when nothing moves
    int64_t face_count;
    const int32_t (*faces)[3];
    int64_t edge_count;
    const int32_t (*edges)[2]; ///< loose edges only; sides of faces are drawn with them
    const int32_t *groups;     ///< body number a point, from 0, for colours; NULL: one body
    /// Instead of bodies: the kind of each face, or NULL. Lines are drawn where they are at t = 0.
    const uint8_t *face_kinds;
    const picture_kind *kinds; ///< what these numbers mean
    int kind_count;
    int64_t line_count;
    const picture_line *lines;
    const picture_kind *line_kinds;
    int line_kind_count;
    int64_t impact_count;
    const picture_impact *impacts; ///< in any order; the earliest gets a callout
    double time; ///< when to draw the mesh, in [0, 1]; negative: at the earliest impact, else at 0
    int up;      ///< the axis that points upwards in the picture: 0, 1 or 2
} picture;

/// Draws `p` from a side where the earliest impact, and much of the lines, can be seen, and writes
/// it to `path` through a temporary file beside it. A name that ends in .png gets a PNG file, which
/// has no marks of impacts and is not simplified; any other gets an SVG file. Indices and
/// coordinates are taken as checked (toi_check_mesh()). Big meshes in SVG are simplified to what
/// the eye can tell apart, always in the same way; the legend says so. TOI_ERROR_FILE or
/// TOI_ERROR_MEMORY on failure; then no file is left.
toi_status draw_picture(const char *path, const struct picture *p);

#endif
