// The narrow phases of other libraries on the queries of 'toi bench narrow'.

#ifndef TOI_PEERS_NARROW_H
#define TOI_PEERS_NARROW_H

int run_narrow(int argc, char **argv);

#endif
