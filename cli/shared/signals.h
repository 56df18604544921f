// Signals that end the program: nothing half-written stays behind.

#ifndef TOI_CLI_SIGNALS_H
#define TOI_CLI_SIGNALS_H

#include <stdbool.h>

// From here on a signal removes the temporary files before it ends the program. And a file that
// grows beyond the greatest size is an error of writing it, not the program's end.
void catch_signals(void);

// From here on the first INT, TERM or HUP only makes stop_wanted() true; the second ends the
// program.
void stop_softly(void);
bool stop_wanted(void);

#endif
