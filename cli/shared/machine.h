// Where a subcommand computes: options, and the device that they name.

#ifndef TOI_CLI_MACHINE_H
#define TOI_CLI_MACHINE_H

#include "options.h"
#include "toi/device.h"

// Values of machine_options; zeroed, it is the processor.
typedef struct machine_choice
{
    int device; // number of a device_choice()
    int card;
    const char *backend; // or NULL: the one that is installed
} machine_choice;

extern const option machine_options[];

// Opens the device; NULL for the processor. `memory_limit`: of the card's memory, 0: none.
toi_status open_machine(const machine_choice *choice, int64_t memory_limit, toi_device **device);

#endif
