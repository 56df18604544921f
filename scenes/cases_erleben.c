// The situations of Erleben, "Methodology for assessing mesh-based contact point methods" (ACM
// Transactions on Graphics, 2018), as single steps with round numbers: spikes, wedges, cracks,
// holes, cliffs and internal edges, each hit where a normal or a nearest feature is not unique.

#include "cases_parts.h"

static const vec3 ALONG_X = {1, 0, 0};
static const vec3 ALONG_Y = {0, 1, 0};
static const double CRACK = 0x1p-10; // half its width

static void make_spikes(case_mesh *mesh, double nudge)
{
    add_spike(mesh, (vec3){0, 0, 0}, -1, (vec3){0, 0, 0});
    add_spike(mesh, (vec3){nudge, 0, 2}, 1, (vec3){0, 0, -4});
}

static void make_spike_wedge(case_mesh *mesh, double nudge)
{
    wedge lower = {{0, 0, 0}, ALONG_Y, ALONG_X, 4, -1};
    add_wedge(mesh, &lower, (vec3){0, 0, 0});
    add_spike(mesh, (vec3){nudge, 0, 2}, 1, (vec3){0, 0, -4});
}

static void make_wedges(case_mesh *mesh, double nudge)
{
    wedge lower = {{0, 0, 0}, ALONG_Y, ALONG_X, 4, -1};
    wedge upper = {{0, nudge, 2}, ALONG_X, ALONG_Y, 4, 1};
    add_wedge(mesh, &lower, (vec3){0, 0, 0});
    add_wedge(mesh, &upper, (vec3){0, 0, -3});
}

static void make_wedges_parallel(case_mesh *mesh, double nudge)
{
    wedge lower = {{0, 0, 0}, ALONG_Y, ALONG_X, 4, -1};
    wedge upper = {{nudge, 0, 2}, ALONG_Y, ALONG_X, 2, 1};
    add_wedge(mesh, &lower, (vec3){0, 0, 0});
    add_wedge(mesh, &upper, (vec3){0, 0, -3});
}

// A square hole of half width 1 in a square sheet; the base of the spike, 4 above its tip, has half
// width `half`, so that it has half / 2 where it meets the sheet in the end.
static void make_spike_hole(case_mesh *mesh, double half)
{
    static const double corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int ring = 0; ring < 2; ++ring)
        for (int i = 0; i < 4; ++i) {
            double reach = ring == 0 ? 1 : 4;
            vec3 at = {reach * corners[i][0], reach * corners[i][1], 0};
            add_point(mesh, at, at);
        }
    for (int i = 0; i < 4; ++i)
        add_quad(mesh, i, 4 + i, 4 + (i + 1) % 4, (i + 1) % 4);
    add_pyramid(mesh, (vec3){0, 0, 2}, half, 4, (vec3){0, 0, -4});
}

// Two sheets with a gap between them along y.
static void add_crack(case_mesh *mesh)
{
    vec3 u = {4 - CRACK, 0, 0}, v = {0, 8, 0};
    grid left = {1, 1, {-4, -4, 0}, u, v}, right = {1, 1, {CRACK, -4, 0}, u, v};
    add_grid(mesh, &left, (vec3){0, 0, 0});
    add_grid(mesh, &right, (vec3){0, 0, 0});
}

static void make_spike_crack(case_mesh *mesh, double nudge)
{
    add_crack(mesh);
    add_pyramid(mesh, (vec3){nudge, 0, 2}, 2, 4, (vec3){0, 0, -4});
}

static void make_wedge_crack(case_mesh *mesh, double nudge)
{
    wedge upper = {{nudge, 0, 2}, ALONG_Y, ALONG_X, 2, 1};
    add_crack(mesh);
    add_wedge(mesh, &upper, (vec3){0, 0, -3});
}

// A strip of four unit squares along x.
static void add_strip(case_mesh *mesh)
{
    grid strip = {4, 1, {0, 0, 0}, ALONG_X, ALONG_Y};
    add_grid(mesh, &strip, (vec3){0, 0, 0});
}

static void make_sliding_spike(case_mesh *mesh, double height)
{
    add_strip(mesh);
    add_spike(mesh, (vec3){0.5, 0.25, height}, 1, (vec3){3, 0, 0});
}

static void make_dipping_spike(case_mesh *mesh, double height)
{
    add_strip(mesh);
    add_spike(mesh, (vec3){0.5, 0.25, height}, 1, (vec3){3, 0, -2 * height});
}

static void make_sliding_wedge(case_mesh *mesh, double height)
{
    wedge upper = {{0.5, 0.5, height}, ALONG_Y, ALONG_X, 0.25, 1};
    add_strip(mesh);
    add_wedge(mesh, &upper, (vec3){3, 0, 0});
}

// A cube falls on a block that ends at x = 0; its middle is at x = nudge.
static void make_cliff_edges(case_mesh *mesh, double nudge)
{
    add_box(mesh, (vec3){-4, -4, -8}, (vec3){0, 4, 0}, (vec3){0, 0, 0});
    add_box(mesh, (vec3){nudge - 1, -1, 1}, (vec3){nudge + 1, 1, 3}, (vec3){0, 0, -1.5});
}

static void make_internal_edges(case_mesh *mesh, double nudge)
{
    grid ground = {4, 4, {-4, -4, 0}, {2, 0, 0}, {0, 2, 0}};
    add_grid(mesh, &ground, (vec3){0, 0, 0});
    add_box(mesh, (vec3){nudge - 1, -1, 1}, (vec3){nudge + 1, 1, 3}, (vec3){0, 0, -1.5});
}

static const case_family FAMILIES[] = {
    {"spikes",
     "Two tetrahedra meet tip on tip: the contact is a vertex of six faces and of nine pairs of "
     "edges at once, and its normal is not unique. A test that wants the interior of a face or of "
     "two edges finds none. Tip on tip at t = 1/2.",
     make_spikes,
     0,
     CASE_MOVED | CASE_EXTREME,
     AT_TIME(1, 2),
     {6, 9}},
    {"spikes-beside",
     "The upper spike is one unit in the last place to the side: a tolerance calls it tip on tip, "
     "in truth two edges below the tips touch 2^-52 later, and then each tip one face.",
     make_spikes,
     0x1p-51,
     CASE_SCALED,
     AT_TIME((1LL << 51) + 1, 1LL << 52),
     {2, 1}},
    {"spike-wedge",
     "A spike falls on the ridge of a wedge: vertex on edge, where the nearest feature jumps from "
     "one flank to the other. The tip on the ridge at t = 1/2: both flanks, three pairs of edges.",
     make_spike_wedge,
     0,
     CASE_MOVED,
     AT_TIME(1, 2),
     {2, 3}},
    {"spike-wedge-beside",
     "One unit in the last place beside the ridge only one flank is met by the tip, and the ridge "
     "by one edge of the spike, both at t = 1/2 + 2^-52.",
     make_spike_wedge,
     0x1p-51,
     CASE_ALONE,
     AT_TIME((1LL << 51) + 1, 1LL << 52),
     {1, 1}},
    {"wedges",
     "Two ridges cross at right angles: the only contact is of two edges, no vertex is near any "
     "face. Methods that test vertices only fall through. Ridge on ridge at t = 2/3.",
     make_wedges,
     0,
     CASE_MOVED,
     AT_TIME(2, 3),
     {0, 1}},
    {"wedges-parallel",
     "Two ridges along one line: the edges are collinear when they meet, their cross product is "
     "zero, and a whole segment is in contact. At t = 2/3: two ends on two flanks, the ridge, and "
     "the six other edges that leave its ends.",
     make_wedges_parallel,
     0,
     CASE_MOVED,
     AT_TIME(2, 3),
     {4, 7}},
    {"spike-hole",
     "A spike enters a square hole until its edges meet the corners and its sides the rim, all at "
     "once and all parallel: four corners on eight sides, four edges at four edges each, t = 3/4. "
     "Nothing pushes back from below, a distance field sees nothing.",
     make_spike_hole,
     4,
     CASE_MOVED,
     AT_TIME(3, 4),
     {8, 16}},
    {"spike-hole-fits",
     "The same with a spike so slim that it fills the hole exactly when the step ends.",
     make_spike_hole,
     2,
     CASE_SHIFTED,
     AT_TIME(1, 1),
     {8, 16}},
    {"spike-hole-clear",
     "And one unit in the last place slimmer: it never touches, though tolerances say so.",
     make_spike_hole,
     2 - 0x1p-52,
     CASE_SCALED,
     NEVER,
     {0, 0}},
    {"spike-crack",
     "A spike falls into a crack 2^-9 wide: the tip meets nothing, the flanks are caught by both "
     "rims at t = 1/2 + 2^-11. Bodies thickened to bridge the crack stop it too early.",
     make_spike_crack,
     0,
     CASE_MOVED,
     AT_TIME(1025, 2048),
     {0, 4}},
    {"spike-crack-aside",
     "An eighth of its width off the middle of the crack one rim comes first, at t = 1/2 + 3/2^13.",
     make_spike_crack,
     0x1p-12,
     CASE_SHIFTED,
     AT_TIME(4099, 8192),
     {0, 4}},
    {"spike-crack-ulp",
     "One unit in the last place off the middle the two rims are reached 2^-51 apart.",
     make_spike_crack,
     0x1p-51,
     CASE_ALONE,
     AT_TIME((1LL << 51) + (1LL << 41) - 1, 1LL << 52),
     {0, 4}},
    {"wedge-crack",
     "A wedge in a crack that it fits along its whole length: three edges of each flank meet a rim "
     "at once, at a time that is no double, 1025/1536.",
     make_wedge_crack,
     0,
     CASE_MOVED,
     AT_TIME(1025, 1536),
     {0, 6}},
    {"sliding-spike",
     "A tip slides over a flat strip, touching it from beginning to end, over six inner edges: it "
     "must be in contact at t = 0, not at the first edge it catches on. Seven faces, and six edges "
     "for each of the three that meet at the tip.",
     make_sliding_spike,
     0,
     CASE_MOVED,
     AT_TIME(0, 1),
     {7, 18}},
    {"sliding-spike-above",
     "It slides 2^-50 above the strip: no contact, whatever a tolerance says.",
     make_sliding_spike,
     0x1p-50,
     CASE_ALONE,
     NEVER,
     {0, 0}},
    {"sliding-spike-dips",
     "It comes in at a grazing angle and meets the strip in the middle, on an inner edge: two "
     "faces, and later the edges of the spike saw through three more.",
     make_dipping_spike,
     0x1p-20,
     CASE_MOVED,
     AT_TIME(1, 2),
     {2, 12}},
    {"sliding-wedge",
     "A ridge slides flat over the strip: an edge in the plane of all it meets, every coplanarity "
     "polynomial is zero, and a solver of cubics sees no root. In contact at t = 0.",
     make_sliding_wedge,
     0,
     CASE_MOVED,
     AT_TIME(0, 1),
     {14, 43}},
    {"sliding-wedge-above",
     "The same 2^-50 above the strip: no contact.",
     make_sliding_wedge,
     0x1p-50,
     CASE_ALONE,
     NEVER,
     {0, 0}},
    {"cliff-edges",
     "A cube lands half over the edge of a block, face on face: the cliff is crossed by three of "
     "its edges while its own corners rest in one inner face, all at t = 2/3.",
     make_cliff_edges,
     0,
     CASE_MOVED,
     AT_TIME(2, 3),
     {2, 3}},
    {"cliff-edges-flush",
     "The cube's side is flush with the cliff: after landing at t = 2/3 it slides down in the "
     "plane of the cliff's side, touching all the time.",
     make_cliff_edges,
     -1,
     CASE_SHIFTED,
     AT_TIME(2, 3),
     {6, 10}},
    {"internal-edges",
     "A cube lands flat on a plane of triangles, its corners on inner edges, its lower diagonal "
     "along two of them: normals of inner edges trip bodies that slide there. Four corners on two "
     "faces each, one vertex of the plane under two faces of the cube, t = 2/3.",
     make_internal_edges,
     0,
     CASE_SHIFTED,
     AT_TIME(2, 3),
     {10, 26}},
};

const case_list CASES_ERLEBEN = {FAMILIES, LENGTH_OF(FAMILIES)};
