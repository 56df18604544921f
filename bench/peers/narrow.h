// The narrow phases of other libraries on the queries of 'toi bench narrow'.

#ifndef TOI_PEERS_NARROW_H
#define TOI_PEERS_NARROW_H

#include "narrow_peer.h"

int run_narrow(int argc, char **argv);

// What the sources of 'toi bench narrow', as they are compiled for this program, call instead of
// toi_solve_queries(), narrow_choice() and toi_narrow_guarantee(): see CMakeLists.txt. The first
// runs a peer where a method is asked for that a peer stands for, and toi where the truth is.
narrow_function solve_with_peer;
const char *narrow_peer_choice(int index);
toi_guarantee narrow_peer_guarantee(toi_narrow_method index);

#endif
