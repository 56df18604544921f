// A hierarchy of boxes over triangles: for surfaces, mesh fields and baking.

#ifndef TOI_SDF_TREE_H
#define TOI_SDF_TREE_H

#include "toi/mesh.h"

// No leaf is deeper below the root than this: a walk needs no more than this many waiting nodes.
enum
{
    TOI_TREE_DEPTH = 64
};

// A node holds triangles order[first .. first + count). Children are neighbours in the array: the
// left one is node `child`, the right one `child` + 1; 0 for a leaf. They come after their parent.
typedef struct toi_box_node
{
    double low[3];
    double high[3];
    int32_t child;
    int32_t first;
    int32_t count;
    int32_t reserved;
} toi_box_node;

typedef struct toi_box_tree
{
    double (*points)[3]; // every vertex, as double
    int32_t (*faces)[3];
    int64_t point_count;
    int64_t face_count;
    toi_box_node *nodes; // nodes[0] is the root; none if there are no faces
    int64_t node_count;
    int32_t *order;      // triangles, so that every node's are neighbours
} toi_box_tree;

// Copies and checks points and faces (finite, in range), and builds; leaves hold at most `leaf`
// triangles. The tree does not depend on the number of workers. On failure it is empty.
toi_status toi_make_box_tree(toi_point_view points, toi_index_view faces, int leaf, int workers,
                             toi_box_tree *tree);
void toi_free_box_tree(toi_box_tree *tree);

#endif
