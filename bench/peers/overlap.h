// peers --overlap: searches for intersecting faces.

#ifndef TOI_PEERS_OVERLAP_H
#define TOI_PEERS_OVERLAP_H

int run_overlap(int argc, char **argv);

#endif
