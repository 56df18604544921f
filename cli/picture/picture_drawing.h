// What the parts of a picture share: the canvas, and all that is known of what is drawn on it.

#ifndef TOI_CLI_PICTURE_DRAWING_H
#define TOI_CLI_PICTURE_DRAWING_H

#include "picture.h"
#include "picture_camera.h"
#include "picture_depth.h"
#include "picture_vector.h"

#include <stdbool.h>

enum
{
    PAGE_WIDTH = 1200, // of the canvas
    PAGE_HEIGHT = 900,
    PAGE_TOP = 110,    // the band of the title
    PAGE_BOTTOM = 100, // the band of the legend
    PAGE_MARGIN = 40,
    MOST_FACES = 30000, // drawn, at some 60 bytes each
    SIDES_SHOWN = 8000, // with as few faces in sight their sides are drawn
    MOST_LOOSE = 12000, // loose edges drawn, and as many loose points
    MOST_LINES = 20000, // of the caller's
    MARK_CELL = 7,      // one mark in each square of this side
    MARK_COLUMNS = PAGE_WIDTH / MARK_CELL,
    MARK_ROWS = PAGE_HEIGHT / MARK_CELL,
};

typedef enum stroke_kind
{
    STROKE_FACE,
    STROKE_EDGE,
    STROKE_POINT
} stroke_kind;

// A thing to paint, those of great depth first.
typedef struct stroke
{
    double depth;
    int64_t index;
    stroke_kind kind;
} stroke;

// All that a picture needs, taken before the file is opened, so that only writing can fail then.
typedef struct drawing
{
    const picture *p;
    double time;      // the mesh is drawn at
    double shrink;    // coordinates are multiplied by this, so that no sum overflows
    int64_t earliest; // index of that impact, or -1
    vec *points;
    vec *normals; // of points, of any length
    bool *loose;  // points of no face and no edge
    vec centre;
    double radius; // of a ball that holds all points

    int32_t (*faces)[3]; // simplified
    int32_t *colours;    // of each face
    bool *seen;          // of each face: is any of it in sight?
    int64_t face_count;
    int64_t visible; // how many are in sight
    double area;     // of all faces, before simplification
    int side;        // of the grid that points were joined in; 0: none
    bool mosaic;     // not faces but little squares or pixels are painted: bodies are too many and
                     // too small, or the file is one of pixels

    camera view;
    depth_buffer front;
    stroke *strokes;
    stroke *marks; // of impacts but the earliest; their depth is their time
    int64_t mark_count;

    // What was drawn, for the legend.
    int64_t open_count; // marks in sight
    int64_t hidden_count;
    bool long_arrow; // at the earliest impact
    bool gap;        // likewise
    bool short_arrows;
    bool loose_edges;
    bool loose_points;
    bool hidden_lines;
    bool some_lines; // they were too many
} drawing;

#endif
