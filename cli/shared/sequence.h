// The frames of a motion, one step after the other: from files, of which two are held at a time, or
// of a scene made in memory.

#ifndef TOI_CLI_SEQUENCE_H
#define TOI_CLI_SEQUENCE_H

#include "frames.h"

// --scene; the other options of a scene are scene_options (frames.h).
extern const option sequence_options[];

typedef struct sequence
{
    toi_mesh mesh;  // with its edges: both ends of the current step
    int steps;      // one less than there are frames
    int step;       // the current one, from 0; -1 before the first
    char name[128]; // what it is, for titles

    operand_list files; // none: a scene
    toi_mesh_file held[2];
    int held_step; // whose ends these are; -1: none
    toi_animation made;
    toi_edge_array edges;
    double *cut[2]; // both ends of a part, if the last step is cut into parts
    int parts;      // of the last step; 0: whole steps
} sequence;

// Opens what the choice or the operands name and stands before its first step. The operands must
// stay. Close in any case.
toi_status open_sequence(const scene_choice *choice, const operand_list *operands, sequence *s);
void close_sequence(sequence *s);

// Goes on to the next step; there must be one.
toi_status next_step(sequence *s);

// Stands before the first step again.
void rewind_sequence(sequence *s);

// From here on the sequence is its last step cut into equal parts, `steps` of them, to and fro
// where there are fewer parts. A coordinate whose ends are both single precision stays so. With
// other parts it may be called again.
toi_status cut_sequence(sequence *s, int parts, int steps);

// The mean way of the vertices in the current step, in mean edges of its start.
double measure_motion(const sequence *s);

#endif
