// Handles the signals that end the program, so that nothing half-written stays behind.

#include "signals.h"

#include "toi/io.h"

#include <signal.h>

static volatile sig_atomic_t stopped;

// Ends the program as the signal would have done by itself, so that the caller sees which it was.
static void end_program(int number)
{
    toi_remove_temporaries();
    signal(number, SIG_DFL);
    raise(number);
}

static void note_stop(int number)
{
    if (stopped)
        end_program(number);
    stopped = 1;
}

static void catch_signal(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static bool is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

// What is ignored stays so: nohup and shells want it.
void catch_signals(void)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        if (!is_ignored(numbers[i]))
            catch_signal(numbers[i], end_program);
    signal(SIGXFSZ, SIG_IGN);
}

void stop_softly(void)
{
    catch_signal(SIGINT, note_stop);
    catch_signal(SIGTERM, note_stop);
    if (!is_ignored(SIGHUP))
        catch_signal(SIGHUP, note_stop);
}

bool stop_wanted(void)
{
    return stopped;
}
