// Opens the device that the options of a subcommand name.

#include "machine.h"

#include "method_options.h"

#include <limits.h>
#include <stdio.h>

const option machine_options[] = {
    {.name = "device",
     .type = OPTION_CHOICE,
     .offset = offsetof(machine_choice, device),
     .argument = "DEVICE",
     .help = "where to compute: cpu, or cuda for a card of NVIDIA's; the answer is the same",
     .choice = device_choice},
    {.name = "card",
     .type = OPTION_INT,
     .offset = offsetof(machine_choice, card),
     .argument = "N",
     .help = "with --device cuda: which card, counted from 0",
     .most = INT_MAX,
     .range = "a whole number from 0"},
    {.name = "backend",
     .type = OPTION_TEXT,
     .offset = offsetof(machine_choice, backend),
     .argument = "FILE",
     .help = "with --device cuda: the library that drives the card, instead of libtoi_cuda.so.0"},
    {0}};

toi_status open_machine(const machine_choice *choice, int64_t memory_limit, toi_device **device)
{
    *device = NULL;
    if (choice->device == 0)
        return TOI_OK;
    toi_device_def def = toi_default_device_def();
    def.number = choice->card;
    def.file = choice->backend;
    def.memory_limit = memory_limit;
    toi_status status = toi_open_device(&def, device);
    if (status == TOI_OK)
        return TOI_OK;
    char why[512];
    snprintf(why, sizeof why, "%s", toi_last_message());
    return toi_fail(status, "--device cuda: %s; --device cpu gives the same answer", why);
}
