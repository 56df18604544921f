// Files that are written whole or not at all, by way of temporary files beside them.
//
// A temporary file is "TARGET.toi-N.tmp", N from 0, locked by its writer until it gets its name. So
// one that can be locked has no writer any more, and is removed; beside a live one the next N is
// taken. Where the file system has no locks nothing is removed. Locks, unlike numbers of processes,
// hold between containers and machines that share a folder.

#include "io/output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    MOST_OUTPUTS = TOI_MAX_WORKERS, // of a process at once
    ENDING_BYTES = 32               // what a temporary file's name has more than the file's
};

toi_status toi_fail_file(const char *path, const char *what, int error)
{
    bool no_room = error == ENOSPC || error == EDQUOT || error == EFBIG || error == EMFILE ||
                   error == ENFILE || error == ENOMEM;
    return toi_fail(no_room ? TOI_ERROR_LIMIT : TOI_ERROR_FILE, "%s: cannot %s: %s", path, what,
                    strerror(error));
}

toi_status toi_find_target(const char *path, char target[PATH_MAX])
{
    struct stat info;
    if (lstat(path, &info) != 0) {
        if (errno != ENOENT)
            return toi_fail_file(path, "write", errno);
        size_t size = strlen(path) + 1;
        if (size > PATH_MAX)
            return toi_fail_file(path, "write", ENAMETOOLONG);
        memcpy(target, path, size);
        return TOI_OK;
    }
    if (!realpath(path, target) || stat(target, &info) != 0)
        return toi_fail_file(path, "write", errno);
    if (!S_ISREG(info.st_mode))
        return toi_fail(TOI_ERROR_FILE, "%s: exists and is not a regular file", path);
    return TOI_OK;
}

bool toi_has_name(int file, const char *name)
{
    struct stat opened, named;
    return fstat(file, &opened) == 0 && stat(name, &named) == 0 && opened.st_ino == named.st_ino &&
           opened.st_dev == named.st_dev;
}

// ---- The list of temporary files

// The names of those that exist, for toi_remove_temporaries(). Whoever makes, renames or removes
// one holds the lock, and no signal reaches the thread meanwhile: so a handler never waits for the
// thread that it interrupted, and for others only a moment.
static char *names[MOST_OUTPUTS];
static bool ending; // no more are to be made
static atomic_flag locked = ATOMIC_FLAG_INIT;

static sigset_t lock_list(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    while (atomic_flag_test_and_set(&locked))
        sched_yield();
    return before;
}

static void unlock_list(sigset_t before)
{
    atomic_flag_clear(&locked);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// The place of a name in the list, for NULL a free one; NULL where there is none.
static char **find_name(const char *name)
{
    for (int i = 0; i < MOST_OUTPUTS; ++i)
        if (names[i] == name)
            return &names[i];
    return NULL;
}

void toi_remove_temporaries(void)
{
    int error = errno; // the interrupted code may be about to read it
    sigset_t before = lock_list();
    ending = true;
    for (int i = 0; i < MOST_OUTPUTS; ++i) {
        if (names[i])
            unlink(names[i]);
        names[i] = NULL;
    }
    unlock_list(before);
    errno = error;
}

// ---- A temporary file

// Whether nothing has the name, or nothing any more: a file whose writer is gone is removed.
static bool clear_name(const char *name)
{
    struct stat info;
    if (lstat(name, &info) != 0)
        return true;
    int file = open(name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return false;
    bool clear = fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
                 flock(file, LOCK_EX | LOCK_NB) == 0 && toi_has_name(file, name) &&
                 unlink(name) == 0;
    close(file);
    return clear;
}

// Creates and locks a file. Returns -1 with the reason in errno, EEXIST where another was faster.
static int create_locked(const char *name)
{
    // Not mkstemp, whose files only the owner can read.
    int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return -1;
    // Before it is locked it looks like one without a writer, and another may remove it.
    bool lost = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!lost && toi_has_name(file, name))
        return file;
    close(file);
    errno = EEXIST;
    return -1;
}

static int create_listed(char *name)
{
    int file = -1;
    sigset_t before = lock_list();
    char **place = find_name(NULL);
    if (ending || !place)
        errno = ending ? ECANCELED : EMFILE;
    else
        file = create_locked(name);
    if (file >= 0)
        *place = name;
    int error = errno;
    unlock_list(before);
    errno = error;
    return file;
}

// Chooses the name.
static int create_temporary(const char *target, char *name)
{
    int file = -1;
    size_t size = strlen(target);
    memcpy(name, target, size + 1);
    errno = EEXIST;
    for (int i = 0; file < 0 && errno == EEXIST; ++i) {
        snprintf(name + size, ENDING_BYTES, ".toi-%d.tmp", i);
        if (clear_name(name))
            file = create_listed(name);
        else
            errno = EEXIST;
    }
    return file;
}

// Gives the file its name, or without one removes it. Returns 0, or why not.
static int finish_temporary(char *name, const char *target)
{
    sigset_t before = lock_list();
    char **place = find_name(name);
    int error = place ? 0 : ECANCELED; // removed by toi_remove_temporaries()
    if (place && (target ? rename(name, target) : unlink(name)) != 0)
        error = errno;
    if (place && (error == 0 || !target))
        *place = NULL;
    unlock_list(before);
    return error;
}

// ---- The output

typedef struct toi_output_state
{
    int file;
    int lock;        // a copy of `file`: the lock must outlive the stream; -1: a device
    int error;       // errno value of the first write that failed; stdio forgets it
    char *path;      // as given, for messages
    char *target;    // links followed
    char *temporary; // beside it; NULL: a device
} toi_output_state;

// All in one piece of memory: `target` is NULL for a device.
static toi_output_state *make_state(const char *path, const char *target)
{
    size_t path_size = strlen(path) + 1, target_size = target ? strlen(target) + 1 : 0;
    toi_output_state *state =
        toi_allocate(sizeof *state + path_size + 2 * target_size + ENDING_BYTES);
    if (!state)
        return NULL;
    *state = (toi_output_state){.file = -1, .lock = -1, .path = (char *)(state + 1)};
    memcpy(state->path, path, path_size);
    if (target) {
        state->target = state->path + path_size;
        memcpy(state->target, target, target_size);
        state->temporary = state->target + target_size;
    }
    return state;
}

static int open_file(toi_output_state *state)
{
    if (!state->temporary) {
        state->file = open(state->path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
        return state->file < 0 ? errno : 0;
    }
    state->file = create_temporary(state->target, state->temporary);
    if (state->file >= 0)
        state->lock = fcntl(state->file, F_DUPFD_CLOEXEC, 0);
    return state->file < 0 || state->lock < 0 ? errno : 0;
}

static ssize_t write_bytes(void *context, const char *data, size_t size)
{
    toi_output_state *state = context;
    size_t done = 0;
    while (done < size) {
        ssize_t now = write(state->file, data + done, size - done);
        if (now < 0 && errno == EINTR)
            continue;
        if (now <= 0) {
            if (state->error == 0)
                state->error = now < 0 ? errno : EIO;
            break;
        }
        done += (size_t)now;
    }
    return (ssize_t)done;
}

// Closes what is open. The file gets its name if there is no error, nor one now; else it is
// removed. Returns the first error.
static int finish(toi_output_state *state, int error)
{
    if (state->file >= 0 && close(state->file) != 0 && error == 0)
        error = errno;
    bool created = state->temporary && state->file >= 0;
    if (created && error == 0)
        error = finish_temporary(state->temporary, state->target);
    if (created && error != 0)
        finish_temporary(state->temporary, NULL);
    if (state->lock >= 0)
        close(state->lock);
    return error;
}

static toi_status open_stream(const char *path, const char *target, toi_output *output)
{
    *output = (toi_output){0};
    toi_output_state *state = make_state(path, target);
    if (!state)
        return TOI_ERROR_MEMORY;
    int error = open_file(state);
    if (error == 0) {
        output->file = fopencookie(state, "wb", (cookie_io_functions_t){.write = write_bytes});
        error = output->file ? 0 : errno;
    }
    if (error == 0) {
        output->state = state;
        return TOI_OK;
    }
    finish(state, error);
    toi_release(state);
    return toi_fail_file(path, "write", error);
}

toi_status toi_open_whole(const char *path, toi_output *output)
{
    char target[PATH_MAX];
    *output = (toi_output){0};
    toi_status status = toi_find_target(path, target);
    return status == TOI_OK ? open_stream(path, target, output) : status;
}

toi_status toi_open_output(const char *path, toi_output *output)
{
    assert(path && output);
    struct stat info;
    bool device = stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
    return device ? open_stream(path, NULL, output) : toi_open_whole(path, output);
}

toi_status toi_close_output(toi_output *output)
{
    toi_output_state *state = output->state;
    bool failed = ferror(output->file) != 0;
    failed |= fclose(output->file) != 0;
    int error = finish(state, state->error ? state->error : failed ? EIO : 0);
    toi_status status = error ? toi_fail_file(state->path, "write", error) : TOI_OK;
    toi_release(state);
    *output = (toi_output){0};
    return status;
}

void toi_discard_output(toi_output *output)
{
    fclose(output->file);
    finish(output->state, ECANCELED);
    toi_release(output->state);
    *output = (toi_output){0};
}
