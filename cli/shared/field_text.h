// A distance field as people write it on the command line.
//
//     FIELD      a part, or parts joined by | (union), & (intersection) and \ (difference), from
//     left
//                to right; parentheses group
//     part       SHAPE:NUMBERS, FILE.sdf (baked), or a mesh file (.ply, .obj, .stl): the mesh
//     itself;
//                then any of the following, each applied to what stands before it
//       *s       scaled
//       ~x,y,z   turned about that axis, by its length in radians
//       @x,y,z   moved there
//       +d, -d   grown or shrunk by d on all sides
//
// Spaces are allowed between parts. A shell needs quotation marks where there are such signs.

#ifndef TOI_CLI_FIELD_TEXT_H
#define TOI_CLI_FIELD_TEXT_H

#include "toi/sdf.h"

// Makes the field. What is wrong with the text is TOI_ERROR_ARGUMENT with the place of it; files
// fail in their own ways. Says on standard error where a mesh is open.
toi_status parse_field(const char *text, int workers, toi_field **field);

// The shapes and their numbers, a line each, for help.
extern const char field_help[];

#endif
