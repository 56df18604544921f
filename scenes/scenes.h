/// @file
/// Procedural scenes: frame sequences of any size from a seed, bit-identical on every platform. A
/// library of its own (toi_scenes), shared by the command line, the tests, the benchmarks and the
/// demo.
///
/// Every scene is an animation that begins without any contact and ends with very many. A frame
/// moves it on by a step that shrinks with the edges of the mesh, so that a vertex moves about one
/// edge length a frame and the candidates per element stay about the same for any size (the scenes
/// `plane` and `sheets` are dense on purpose: see their files). The animation of a big scene
/// therefore has many frames, and `begin` says where in it to start.
///
/// Frame k depends on name, size, seed and begin, never on how many frames are asked for. All is
/// computed with + - * / and sqrt on doubles, so the bits do not depend on compiler or platform as
/// long as contraction is off.

#ifndef TOI_SCENES_H
#define TOI_SCENES_H

#include "toi/mesh.h"

TOI_EXTERN_C_BEGIN

/// What a scene is made of; start from toi_default_animation_def().
typedef struct toi_animation_def
{
    const char *name; ///< one of toi_animation_name(0 ..); default the first
    /// About how many faces, at least 1: the scene rounds to what its shape allows, within 20 %
    /// from 1000 on and never below a handful. Default 10,000.
    int64_t size;
    int frames;    ///< number of frames, at least 2, the default
    uint64_t seed; ///< what is random in a scene follows from it; default 1
    /// Where in the animation the first frame lies, in [0, 1], rounded to a whole frame. In every
    /// scene nothing touches up to 0.1, and much does from 0.6 on. Default 0.
    double begin;
    uint32_t cookie; ///< set by the default function; leave it
} toi_animation_def;

toi_animation_def toi_default_animation_def(void);

/// Name number `index` of the scenes there are, in a fixed order; NULL past the last.
const char *toi_animation_name(int index);

/// One line on what the scene shows and why it is hard; NULL past the last.
const char *toi_animation_about(int index);

/// A scene: one topology, `frames` sets of positions. Free with toi_free_animation().
typedef struct toi_animation
{
    int frames;
    int64_t length; ///< how many frames the whole animation has at this size; it goes on after that
    int64_t point_count;
    double (*points)[3]; ///< frame f starts at points + f * point_count
    int64_t face_count;
    int32_t (*faces)[3];
    int64_t edge_count; ///< loose edges only
    int32_t (*edges)[2];
    /// Which body each vertex belongs to, from 0. As toi_filter.groups it leaves only the contacts
    /// between bodies.
    int32_t *groups;
} toi_animation;

/// Makes a scene. TOI_ERROR_ARGUMENT for an unknown name (the message lists the names) or an option
/// out of its range, TOI_ERROR_LIMIT when it would have more than 2^31 - 1 elements of a kind,
/// TOI_ERROR_MEMORY. On failure the scene is left empty.
toi_status toi_make_animation(const toi_animation_def *def, toi_animation *scene);

/// Frees and empties; harmless on a zeroed one.
void toi_free_animation(toi_animation *scene);

TOI_EXTERN_C_END

#endif
