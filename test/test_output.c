// Files that are written whole or not at all: what other writers, dead programs and signals leave.

#define _GNU_SOURCE // flock, mkfifo

#include "io_support.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool exists(const char *name)
{
    struct stat info;
    return lstat(path_of(name), &info) == 0;
}

// The first line of a file.
static const char *contents(const char *name)
{
    static char line[64];
    FILE *file = fopen(path_of(name), "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    return line;
}

// Instead of an assertion where it may be in a child process, which must not go on with the tests.
static void require(bool good)
{
    if (good)
        return;
    fprintf(stderr, "%s\n", toi_last_message());
    _exit(1);
}

static toi_output open_words(const char *name, const char *words)
{
    static char paths[2 * TOI_MAX_WORKERS][300];
    static int next;
    char *path = paths[next++ % (2 * TOI_MAX_WORKERS)];
    snprintf(path, sizeof *paths, "%s/%s", folder, name);
    toi_output output;
    require(toi_open_output(path, &output) == TOI_OK);
    fputs(words, output.file);
    return output;
}

static void closed_discarded_failed(void **state)
{
    (void)state;
    toi_output output = open_words("a.txt", "one");
    assert_false(exists("a.txt"));
    assert_true(exists("a.txt.toi-0.tmp"));
    assert_ok(toi_close_output(&output));
    assert_string_equal(contents("a.txt"), "one");
    output = open_words("a.txt", "two");
    toi_discard_output(&output);
    assert_string_equal(contents("a.txt"), "one");
    output = open_words("a.txt", "three");
    assert_int_equal(unlink(path_of("a.txt.toi-0.tmp")), 0); // by somebody else
    assert_fails(toi_close_output(&output), TOI_ERROR_FILE, "a.txt: cannot write");
    assert_string_equal(contents("a.txt"), "one");
    assert_int_equal(files_in_folder(), 1);
}

static void no_room_is_a_limit(void **state)
{
    (void)state;
    const int errors[] = {ENOSPC, EDQUOT, EFBIG, EMFILE, ENFILE, ENOMEM};
    const int others[] = {EACCES, EROFS, ENOENT, EISDIR, EIO, ENAMETOOLONG};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i) {
        assert_fails(toi_fail_file("x", "write", errors[i]), TOI_ERROR_LIMIT, strerror(errors[i]));
        assert_fails(toi_fail_file("x", "write", others[i]), TOI_ERROR_FILE, "x: cannot write: ");
    }
}

// More outputs than a process may have: refused, and nothing stays behind.
static void too_many_at_once(void **state)
{
    (void)state;
    toi_output outputs[TOI_MAX_WORKERS + 1];
    toi_status status = TOI_OK;
    int files = files_in_folder(), count = 0;
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    struct rlimit most = {limit.rlim_max, limit.rlim_max};
    for (int full = 0; full < 2; ++full) { // of descriptors, and where there are enough of outputs
        assert_int_equal(setrlimit(RLIMIT_NOFILE, full ? &most : &limit), 0);
        for (count = 0; status == TOI_OK && count <= TOI_MAX_WORKERS; ++count) {
            char name[32];
            snprintf(name, sizeof name, "many_%d.txt", count);
            status = toi_open_output(path_of(name), &outputs[count]);
        }
        int opened = count - 1;
        for (int i = 0; i < opened; ++i)
            toi_discard_output(&outputs[i]);
        assert_fails(status, TOI_ERROR_LIMIT, strerror(EMFILE));
        assert_int_equal(files_in_folder(), files);
        assert_true(opened > 10);
        assert_true(!full || opened == TOI_MAX_WORKERS || limit.rlim_max < 3 * TOI_MAX_WORKERS);
        status = TOI_OK;
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

// ---- Other writers

static void dead_writers_are_cleared(void **state)
{
    (void)state;
    write_file(path_of("b.txt"), BYTES("old"));
    pid_t child = fork();
    if (child == 0) {
        open_words("b.txt", "never finished");
        raise(SIGKILL);
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result));
    assert_true(exists("b.txt.toi-0.tmp"));
    assert_string_equal(contents("b.txt"), "old");
    int files = files_in_folder();
    toi_output output = open_words("b.txt", "new");
    assert_int_equal(files_in_folder(), files); // its own is in the place of the dead one
    assert_ok(toi_close_output(&output));
    assert_string_equal(contents("b.txt"), "new");
    assert_int_equal(files_in_folder(), files - 1);
}

// In this process and in another, which ends first or last.
static void live_writers_are_left_alone(void **state)
{
    (void)state;
    int there[2], go[2];
    assert_int_equal(pipe(there), 0);
    assert_int_equal(pipe(go), 0);
    int files = files_in_folder();
    char byte = 0;
    pid_t child = fork();
    if (child == 0) {
        toi_output output = open_words("c.txt", "child");
        require(write(there[1], &byte, 1) == 1 && read(go[0], &byte, 1) == 1);
        require(toi_close_output(&output) == TOI_OK);
        _exit(0);
    }
    close(there[1]);
    assert_int_equal(read(there[0], &byte, 1), 1);
    toi_output first = open_words("c.txt", "first"), second = open_words("c.txt", "second");
    assert_true(exists("c.txt.toi-0.tmp") && exists("c.txt.toi-1.tmp") &&
                exists("c.txt.toi-2.tmp"));
    assert_ok(toi_close_output(&second));
    assert_string_equal(contents("c.txt"), "second");
    assert_int_equal(write(go[1], &byte, 1), 1);
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    assert_string_equal(contents("c.txt"), "child");
    assert_ok(toi_close_output(&first));
    assert_string_equal(contents("c.txt"), "first");
    assert_int_equal(files_in_folder(), files + 1);
}

// What no writer of ours made is not touched, whatever it is called.
static void other_things_are_left_alone(void **state)
{
    (void)state;
    write_file(path_of("precious"), BYTES("precious"));
    assert_int_equal(symlink("precious", path_of("d.txt.toi-0.tmp")), 0);
    assert_int_equal(symlink("nowhere", path_of("d.txt.toi-1.tmp")), 0);
    assert_int_equal(mkfifo(path_of("d.txt.toi-2.tmp"), 0600), 0);
    int files = files_in_folder();
    toi_output output = open_words("d.txt", "done");
    assert_true(exists("d.txt.toi-3.tmp"));
    assert_ok(toi_close_output(&output));
    assert_int_equal(files_in_folder(), files + 1);
    assert_string_equal(contents("precious"), "precious");
    assert_string_equal(contents("d.txt"), "done");
}

// Many writers of the same file at once: each sees its own whole file or another's, never a
// mixture.
static void write_again_and_again(char letter)
{
    char words[64];
    memset(words, letter, 40);
    strcpy(words + 40, "\n");
    for (int i = 0; i < 200; ++i) {
        toi_output output = open_words("e.txt", words);
        if (i % 7 == 0)
            toi_discard_output(&output);
        else
            require(toi_close_output(&output) == TOI_OK);
    }
    _exit(0);
}

static void writers_do_not_mix(void **state)
{
    (void)state;
    enum
    {
        PROCESSES = 3
    };
    int files = files_in_folder();
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; ++i) {
        children[i] = fork();
        if (children[i] == 0)
            write_again_and_again((char)('a' + i));
    }
    int read = 0;
    for (int left = PROCESSES; left > 0;) {
        int result;
        pid_t ended = waitpid(-1, &result, WNOHANG);
        if (ended > 0) {
            assert_int_equal(result, 0);
            --left;
        }
        if (exists("e.txt")) {
            char line[64];
            snprintf(line, sizeof line, "%s", contents("e.txt"));
            assert_int_equal(strlen(line), 41);
            for (int i = 1; i < 40; ++i)
                assert_int_equal(line[i], line[0]);
            ++read;
        }
    }
    assert_true(read > 0);
    assert_int_equal(files_in_folder(), files + 1);
}

// ---- Signals

static void end_by_signal(int number)
{
    toi_remove_temporaries();
    signal(number, SIG_DFL);
    raise(number);
}

static void *write_for_ever(void *context)
{
    char name[32];
    snprintf(name, sizeof name, "thread_%d.txt", *(const int *)context);
    for (;;) {
        toi_output output;
        char path[300];
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (toi_open_output(path, &output) == TOI_OK) {
            fputs(name, output.file);
            toi_close_output(&output);
        }
    }
    return NULL;
}

// Threads that write all the time; the signal comes at any moment, to any of them.
static void write_until_killed(void)
{
    enum
    {
        THREADS = 4
    };
    static int numbers[THREADS];
    pthread_t thread;
    signal(SIGTERM, end_by_signal);
    for (int i = 0; i < THREADS; ++i) {
        numbers[i] = i;
        if (pthread_create(&thread, NULL, write_for_ever, &numbers[i]) != 0)
            _exit(1);
    }
    for (;;)
        pause();
}

static int count_temporaries(void)
{
    int count = 0;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) {
            char name[64];
            snprintf(name, sizeof name, "thread_%d.txt.toi-%d.tmp", i, k);
            count += exists(name);
        }
    return count;
}

static void signals_leave_nothing(void **state)
{
    (void)state;
    enum
    {
        ROUNDS = 40
    };
    int left = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        pid_t child = fork();
        if (child == 0)
            write_until_killed();
        usleep(1000 + 111 * (useconds_t)round);
        assert_int_equal(kill(child, SIGTERM), 0);
        int result;
        assert_int_equal(waitpid(child, &result, 0), child);
        if (!WIFSIGNALED(result))
            continue; // it came before the handler
        assert_int_equal(WTERMSIG(result), SIGTERM);
        left += count_temporaries();
    }
    assert_true(exists("thread_0.txt"));
    assert_int_equal(left, 0);
}

// What is open is removed, cannot be closed, and nothing new can be opened.
static void nothing_is_opened_at_the_end(void **state)
{
    (void)state;
    int files = files_in_folder();
    pid_t child = fork();
    if (child == 0) {
        toi_output a = open_words("f.txt", "one"), b = open_words("g.txt", "two");
        errno = 77;
        toi_remove_temporaries();
        require(errno == 77 && files_in_folder() == files);
        require(toi_close_output(&a) == TOI_ERROR_FILE);
        toi_discard_output(&b);
        require(toi_open_output(path_of("f.txt"), &a) == TOI_ERROR_FILE);
        toi_query query = {0};
        require(toi_write_queries(path_of("f.csv"), &query, NULL, 1) == TOI_ERROR_FILE);
        require(files_in_folder() == files);
        _exit(0);
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    assert_int_equal(files_in_folder(), files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_discarded_failed),
        cmocka_unit_test(no_room_is_a_limit),
        cmocka_unit_test(too_many_at_once),
        cmocka_unit_test(dead_writers_are_cleared),
        cmocka_unit_test(live_writers_are_left_alone),
        cmocka_unit_test(other_things_are_left_alone),
        cmocka_unit_test(writers_do_not_mix),
        cmocka_unit_test(signals_leave_nothing),
        cmocka_unit_test(nothing_is_opened_at_the_end),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
