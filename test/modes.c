// Calls a scenario in every floating-point mode and compares what it kept.

#define _GNU_SOURCE // the registers in a signal's context
#include "modes.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

// ---------------------------------------------------------------------------------------------
// Modes

// The registers that hold the mode, with the sticky flags of exceptions.
typedef struct registers
{
    uint32_t sse;       // MXCSR
    uint16_t x87;       // control word
    uint16_t x87_flags; // the flags of the status word
} registers;

typedef struct mode
{
    const char *name;
    registers set;
} mode;

#if defined(__x86_64__)

static const mode modes[] = {
    {"default", {0x1f80, 0x37f, 0}},
    {"default, all flags raised", {0x1fbf, 0x37f, 0x3f}},
    {"upward", {0x5f80, 0xb7f, 0}},
    {"downward", {0x3f80, 0x77f, 0}},
    {"toward zero", {0x7f80, 0xf7f, 0}},
    {"upward in SSE alone", {0x5f80, 0x37f, 0}},
    {"upward in x87 alone", {0x1f80, 0xb7f, 0}},
    {"downward in x87 alone", {0x1f80, 0x77f, 0}},
    {"x87 in single precision", {0x1f80, 0x07f, 0}},
    {"x87 in double precision", {0x1f80, 0x27f, 0}},
    {"flush to zero", {0x9f80, 0x37f, 0}},
    {"denormals are zero", {0x1fc0, 0x37f, 0}},
    {"flush to zero, denormals are zero", {0x9fc0, 0x37f, 0}},
    {"invalid trapped", {0x1f00, 0x37e, 0}},
    {"denormal operand trapped", {0x1e80, 0x37d, 0}},
    {"division by zero trapped", {0x1d80, 0x37b, 0}},
    {"overflow trapped", {0x1b80, 0x377, 0}},
    {"underflow trapped", {0x1780, 0x36f, 0}},
    {"inexact trapped", {0x0f80, 0x35f, 0}},
    {"all trapped", {0x0000, 0x340, 0}},
    // The x87 unit signals such an exception at its next instruction, whichever that is.
    {"all trapped, all flags raised", {0x003f, 0x340, 0x3f}},
    {"all trapped, upward, flush to zero, denormals are zero", {0xc040, 0xb40, 0}},
};

static registers read_registers(void)
{
    registers now;
    uint16_t status;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2"
                     : "=m"(now.sse), "=m"(now.x87), "=m"(status)
                     :
                     : "memory");
    now.x87_flags = status & 0x7f;
    return now;
}

// The x87 unit begins anew, so that nothing that was pending is raised.
static void write_registers(registers to)
{
    uint32_t environment[7];
    __asm__ volatile("fninit\n\tfnstenv %0" : "=m"(environment) : : "memory");
    environment[0] = to.x87;
    environment[1] = to.x87_flags;
    __asm__ volatile("fldenv %0\n\tldmxcsr %1" : : "m"(environment), "m"(to.sse) : "memory");
}

static bool is_own_mode(registers now)
{
    return (now.sse & ~0x3fu) == modes[0].set.sse && now.x87 == modes[0].set.x87;
}

#else

#include <fenv.h>

static const mode modes[] = {{"default", {.sse = FE_TONEAREST}},
                             {"upward", {.sse = FE_UPWARD}},
                             {"downward", {.sse = FE_DOWNWARD}},
                             {"toward zero", {.sse = FE_TOWARDZERO}}};

static registers read_registers(void)
{
    return (registers){.sse = (uint32_t)fegetround()};
}

static void write_registers(registers to)
{
    fesetround((int)to.sse);
}

static bool is_own_mode(registers now)
{
    return now.sse == FE_TONEAREST;
}

#endif

enum
{
    MODES = sizeof modes / sizeof *modes
};

static bool same_registers(registers a, registers b)
{
    return a.sse == b.sse && a.x87 == b.x87 && a.x87_flags == b.x87_flags;
}

// ---------------------------------------------------------------------------------------------
// What went wrong, once for each function and mode

static int current;       // mode
static char called[64];   // the last function
static char (*names)[64]; // of all functions called
static int name_count;
static char (*faults)[256];
static int fault_count;

static bool is_among(char (*lines)[64], int count, const char *line)
{
    for (int i = 0; i < count; ++i)
        if (strcmp(lines[i], line) == 0)
            return true;
    return false;
}

static void complain(const char *what)
{
    char line[256];
    snprintf(line, sizeof line, "%s: %s (%s)", called, what, modes[current].name);
    for (int i = 0; i < fault_count; ++i)
        if (strcmp(faults[i], line) == 0)
            return;
    faults = realloc(faults, (size_t)(fault_count + 1) * sizeof *faults);
    memcpy(faults[fault_count++], line, sizeof line);
}

// ---------------------------------------------------------------------------------------------
// Signals

static atomic_bool trapped;

// Takes note, masks all exceptions where the signal came from, and lets it go on.
static void on_trap(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    trapped = true;
#if defined(__x86_64__)
    ucontext_t *at = context;
    at->uc_mcontext.fpregs->mxcsr |= modes[0].set.sse;
    at->uc_mcontext.fpregs->cwd |= 0x3f;
#else
    (void)context;
    abort();
#endif
}

// ---------------------------------------------------------------------------------------------
// Calls

// Notes which function it was.
static void name_call(const char *call)
{
    const char *at = call;
    size_t length = 0;
    while ((at = strstr(at, "toi_"))) {
        length = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
        if (at[length] == '(')
            break;
        at += length;
    }
    if (!at || length >= sizeof called)
        fail_msg("no function of the library in \"%s\"", call);
    memcpy(called, at, length);
    called[length] = '\0';
    if (is_among(names, name_count, called))
        return;
    names = realloc(names, (size_t)(name_count + 1) * sizeof *names);
    memcpy(names[name_count++], called, sizeof called);
}

void enter_mode(const char *call)
{
    name_call(call);
    trapped = false;
    write_registers(modes[current].set);
}

void leave_mode(void)
{
    registers left = read_registers();
    write_registers(modes[0].set);
    if (trapped)
        complain("raised SIGFPE");
    else if (!same_registers(left, modes[current].set))
        complain("changed the mode or the flags");
}

bool was_called(const char *name)
{
    return is_among(names, name_count, name);
}

void check_own_mode(void)
{
    if (!is_own_mode(read_registers()))
        complain("called back in another mode than the library's");
}

// ---------------------------------------------------------------------------------------------
// Results

// What was kept in the default mode.
typedef struct item
{
    char *bytes;
    size_t size;
} item;

static item *items;
static size_t item_count, kept;

void keep(const void *bytes, size_t size)
{
    if (current > 0) {
        if (kept >= item_count || items[kept].size != size ||
            (size > 0 && memcmp(items[kept].bytes, bytes, size) != 0))
            complain("gave another result");
        ++kept;
        return;
    }
    items = realloc(items, (kept + 1) * sizeof *items);
    items[kept] = (item){malloc(size + 1), size};
    if (size > 0)
        memcpy(items[kept].bytes, bytes, size);
    item_count = ++kept;
}

static void forget_items(void)
{
    for (size_t i = 0; i < item_count; ++i)
        free(items[i].bytes);
    item_count = 0;
}

void keep_message(void)
{
    keep(toi_last_message(), strlen(toi_last_message()));
}

void in_every_mode(void (*scenario)(void))
{
    struct sigaction before, action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    sigaction(SIGFPE, &action, &before);
    fault_count = 0;
    int step = getenv("TOI_SANITIZED") ? 4 : 1; // a sanitizer sees the same in each
    for (current = 0; current < MODES; current += step) {
        write_registers(modes[current].set);
        registers now = read_registers();
        write_registers(modes[0].set);
        if (!same_registers(now, modes[current].set)) {
            print_message("skipped: this machine or emulator cannot keep the mode \"%s\"\n",
                          modes[current].name);
            continue;
        }
        kept = 0;
        scenario();
        if (kept != item_count)
            complain("gave another number of results");
    }
    current = 0;
    sigaction(SIGFPE, &before, NULL);
    assert_true(item_count > 0);
    forget_items();
    for (int i = 0; i < fault_count; ++i)
        print_message("%s\n", faults[i]);
    if (fault_count > 0)
        fail_msg("%d faults", fault_count);
}
