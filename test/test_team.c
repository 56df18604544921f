// The library's threads: loops, refusals, signals, forks, unloading, and a loop of the caller's
// own.

#define _GNU_SOURCE // pthread_getaffinity_np
// The library's own threads: every task once, whoever calls and whatever the system refuses.

#include "support.h"

#include "base/cores.h"
#include "base/parallel.h"
#include "base/team.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum
{
    MOST_TASKS = 1000,
    MOST_WORKERS = 64
};

// Every thread of the library is made here: some are refused, some start late.
static _Atomic int allowed = INT32_MAX; // threads that the system still gives
static _Atomic int refused;
static _Atomic int late_seconds;
static _Atomic int late_count; // threads that still start late

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

typedef struct late_start
{
    void *(*function)(void *);
    void *argument;
} late_start;

static void *start_late(void *argument)
{
    late_start start = *(late_start *)argument;
    free(argument);
    sleep((unsigned)late_seconds);
    return start.function(start.argument);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument)
{
    if (atomic_fetch_sub(&allowed, 1) <= 0) {
        ++refused;
        return EAGAIN;
    }
    if (atomic_fetch_sub(&late_count, 1) <= 0)
        return __real_pthread_create(thread, attributes, function, argument);
    late_start *start = malloc(sizeof *start);
    *start = (late_start){function, argument};
    return __real_pthread_create(thread, attributes, start_late, start);
}

// What happened in a loop. Tasks only count: an assertion belongs on the thread of the test.
typedef struct record
{
    _Atomic int seen[MOST_TASKS];
    _Atomic int at_work[MOST_WORKERS]; // tasks that run under this number now
    _Atomic int wrong;
    _Atomic int arrived;
    int meet; // the first tasks wait until that many workers have come
    int workers;
    _Atomic bool came[MOST_WORKERS];
} record;

static void meet(record *r)
{
    for (double end = toi_clock() + 60; r->arrived < r->meet; sched_yield())
        if (toi_clock() > end) {
            ++r->wrong;
            return;
        }
}

static void note(void *context, int64_t index, int worker)
{
    record *r = context;
    if (worker < 0 || worker >= r->workers || r->at_work[worker]++ != 0) {
        ++r->wrong;
        return;
    }
    ++r->seen[index];
    if (!r->came[worker]) {
        r->came[worker] = true;
        ++r->arrived;
        meet(r);
    }
    --r->at_work[worker];
}

// The number of tasks that did not run exactly once, and of other mistakes; with and without
// shares.
static int run_noted(record *r, int workers, int64_t count)
{
    int mistakes = 0;
    for (int even = 0; even < 2; ++even) {
        memset(r->seen, 0, sizeof r->seen);
        memset(r->came, 0, sizeof r->came);
        r->arrived = 0;
        r->workers = workers;
        toi_team_run(workers, workers <= 2, even, count, note, r);
        for (int64_t i = 0; i < MOST_TASKS; ++i)
            mistakes += r->seen[i] != (i < count);
    }
    return mistakes + r->wrong;
}

static void every_task_runs_once(void **state)
{
    (void)state;
    static const int64_t counts[] = {0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 100, 999, 1000};
    static record r;
    int rounds = getenv("TOI_SANITIZED") ? 30 : 200;
    for (int round = 0; round < rounds; ++round)
        for (int workers = 1; workers <= MOST_WORKERS; workers += workers < 9 ? 1 : 11)
            for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
                assert_int_equal(run_noted(&r, workers, counts[i]), 0);
}

// A loop gets the workers it asks for: tasks that wait for all of them come to an end.
static void all_workers_take_part(void **state)
{
    (void)state;
    static record r;
    for (int workers = 1; workers <= 40; ++workers) {
        r.meet = workers;
        assert_int_equal(run_noted(&r, workers, 2 * workers), 0);
        assert_int_equal(r.arrived, workers);
    }
}

// Who ran which task; all wait for each other, so that nobody runs two.
typedef struct sharing
{
    record meeting;
    pthread_t who[8];
} sharing;

static void note_thread(void *context, int64_t index, int worker)
{
    (void)worker;
    sharing *s = context;
    s->who[index] = pthread_self();
    ++s->meeting.arrived;
    meet(&s->meeting);
}

// What a worker has written in one loop is in its core's cache in the next: its share is the same.
static void shares_stay_with_their_workers(void **state)
{
    (void)state;
    static sharing s = {.meeting.meet = 8};
    pthread_t first[8];
    for (int loop = 0; loop < 50; ++loop) {
        s.meeting.arrived = 0;
        toi_team_run(8, false, true, 8, note_thread, &s);
        assert_int_equal(s.meeting.wrong, 0);
        if (loop == 0)
            memcpy(first, s.who, sizeof first);
        for (int i = 0; i < 8; ++i)
            assert_true(pthread_equal(s.who[i], first[i]));
    }
}

// Blocks that together are more than twice the largest of them stay in the process when they are
// given back (base.h): they are not fetched from the system again, page by page.
static void large_blocks_stay_at_hand(void **state)
{
    (void)state;
#if !defined(__GLIBC__) || defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    skip(); // another allocator
#else
    enum
    {
        BLOCKS = 5,
        BYTES = 6 << 20,
        ROUNDS = 10
    };
    static record r;
    struct rusage before, after;
    assert_int_equal(run_noted(&r, 2, 100), 0);
    for (int round = 0; round < ROUNDS; ++round) {
        char *blocks[BLOCKS];
        if (round == 2)
            getrusage(RUSAGE_SELF, &before);
        for (int b = 0; b < BLOCKS; ++b) {
            assert_non_null(blocks[b] = toi_allocate(BYTES));
            memset(blocks[b], b, BYTES);
        }
        for (int b = 0; b < BLOCKS; ++b)
            toi_release(blocks[b]);
    }
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_minflt - before.ru_minflt < 16); // no more than two a round
#endif
}

static void *call_often(void *mistakes)
{
    record *r = calloc(1, sizeof *r);
    for (int i = 0; i < 2000; ++i)
        *(_Atomic int *)mistakes += run_noted(r, 1 + i % 6, i % 50);
    free(r);
    return NULL;
}

static void several_callers_at_once(void **state)
{
    (void)state;
    _Atomic int mistakes = 0;
    pthread_t callers[8];
    for (int i = 0; i < 8; ++i)
        assert_int_equal(pthread_create(&callers[i], NULL, call_often, (void *)&mistakes), 0);
    for (int i = 0; i < 8; ++i)
        pthread_join(callers[i], NULL);
    assert_int_equal(mistakes, 0);
}

static int count_threads(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    if (!folder)
        return -1;
    for (struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static void *call_once(void *mistakes)
{
    record *r = calloc(1, sizeof *r);
    *(int *)mistakes += run_noted(r, 4, 100);
    free(r);
    return NULL;
}

// Callers come and go; the threads that helped them stay, and are not made again for each.
static void callers_may_end(void **state)
{
    (void)state;
    int mistakes = 0, before = count_threads();
    for (int i = 0; i < 200; ++i) {
        pthread_t caller;
        assert_int_equal(pthread_create(&caller, NULL, call_once, &mistakes), 0);
        pthread_join(caller, NULL);
    }
    assert_int_equal(mistakes, 0);
    assert_true(count_threads() <= before + 4);
}

typedef struct nest
{
    _Atomic int runs, elsewhere, wrong;
    pthread_t thread;
} nest;

static toi_status count_inner(void *context, int64_t index, int worker)
{
    (void)index;
    nest *n = context;
    ++n->runs;
    n->elsewhere += !pthread_equal(n->thread, pthread_self());
    n->wrong += worker != 0;
    return TOI_OK;
}

static toi_status run_inner(void *context, int64_t index, int worker)
{
    (void)index;
    (void)worker;
    nest inner = {.thread = pthread_self()}, *outer = context;
    toi_status status = toi_parallel(4, 10, count_inner, &inner);
    outer->runs += inner.runs;
    outer->elsewhere += inner.elsewhere;
    outer->wrong += inner.wrong;
    return status;
}

// A loop inside a task runs on the thread of the task; after it, loops have their workers again.
static void loops_inside_tasks(void **state)
{
    (void)state;
    for (int round = 0; round < 200; ++round) {
        nest n = {0};
        assert_ok(toi_parallel(6, 20, run_inner, &n));
        assert_int_equal(n.runs, 200);
        assert_int_equal(n.elsewhere + n.wrong, 0);
    }
    all_workers_take_part(state);
}

// As a nested region of OpenMP would.
static void loops_inside_openmp(void **state)
{
    (void)state;
#if !defined(TOI_OPENMP) || defined(__SANITIZE_THREAD__)
    skip(); // no OpenMP, or one whose threads wait for each other unseen by the sanitizer
#else
    nest n = {0};
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 40; ++i)
        run_inner(&n, i, 0);
    assert_int_equal(n.runs, 400);
    assert_int_equal(n.elsewhere + n.wrong, 0);
#endif
}

// The exit status of a child process that makes the same calls; 99 when it hangs. It is killed from
// here: where it hangs it may have its signals blocked.
static int in_child(int (*function)(void *), void *context)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(function(context));
    assert_true(child > 0);
    int status = 0;
    pid_t ended = 0;
    for (double end = toi_clock() + 120; ended == 0; ended = waitpid(child, &status, WNOHANG)) {
        struct timespec pause = {.tv_nsec = 200000};
        nanosleep(&pause, NULL);
        if (toi_clock() > end)
            kill(child, SIGKILL);
    }
    assert_int_equal(ended, child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static int use_threads(void *context)
{
    (void)context;
    static record r;
    for (int workers = 2; workers <= 8; ++workers) {
        r.meet = workers;
        if (run_noted(&r, workers, 100) != 0)
            return 1;
    }
    return 0;
}

static _Atomic bool enough;

static void *call_until_enough(void *mistakes)
{
    while (!enough)
        call_often(mistakes);
    return NULL;
}

// Sanitizers allow no threads after a fork, or hang if a thread was just about to start.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define skip_where_children_have_no_threads() skip()
#else
#define skip_where_children_have_no_threads() (void)0
#endif

// A child process has none of its parent's threads and makes its own, also when loops were running
// at the moment of the fork.
static void children_have_threads(void **state)
{
    (void)state;
    skip_where_children_have_no_threads();
    _Atomic int mistakes = 0;
    pthread_t callers[3];
    assert_int_equal(use_threads(NULL), 0);
    assert_int_equal(in_child(use_threads, NULL), 0);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(pthread_create(&callers[i], NULL, call_until_enough, (void *)&mistakes),
                         0);
    for (int i = 0; i < 100; ++i)
        assert_int_equal(in_child(use_threads, NULL), 0);
    enough = true;
    for (int i = 0; i < 3; ++i)
        pthread_join(callers[i], NULL);
    assert_int_equal(mistakes, 0);
    assert_int_equal(use_threads(NULL), 0);
}

// The system gives as many threads as the context says: loops go on with those, and have all they
// ask for once it gives more.
static int use_few_threads(void *context)
{
    static record r;
    int given = *(int *)context;
    allowed = given;
    for (int round = 0; round < 5; ++round) {
        r.meet = given + 1;
        if (run_noted(&r, 9, 100) != 0 || r.arrived != given + 1 || refused == 0)
            return 1;
    }
    allowed = INT32_MAX;
    return use_threads(NULL);
}

static void threads_may_be_refused(void **state)
{
    (void)state;
    skip_where_children_have_no_threads();
    for (int given = 0; given < 8; ++given)
        assert_int_equal(in_child(use_few_threads, &given), 0);
}

// Faces enough for several workers, few of which meet.
static soup make_large_soup(void)
{
    return getenv("TOI_SANITIZED") ? make_soup(10000, 0.03, 0.03, 5)
                                   : make_soup(20000, 0.02, 0.02, 5);
}

static uint64_t hash_impacts(const toi_mesh *mesh, int workers)
{
    toi_ccd_def def = toi_default_ccd_def();
    def.workers = workers;
    toi_impact_array impacts = {0};
    assert_ok(toi_find_impacts(&def, mesh, &impacts, NULL));
    assert_true(impacts.count > 100);
    uint64_t hash = toi_hash(impacts.data, (size_t)impacts.count * sizeof *impacts.data);
    toi_free_impacts(&impacts);
    return hash;
}

typedef struct whole_call
{
    const toi_mesh *mesh;
    uint64_t expected;
    int given;
} whole_call;

static int call_with_few_threads(void *context)
{
    const whole_call *call = context;
    allowed = call->given;
    return hash_impacts(call->mesh, 4) != call->expected || refused == 0;
}

static void answers_do_not_depend_on_threads_given(void **state)
{
    (void)state;
    skip_where_children_have_no_threads();
    soup s = make_large_soup();
    whole_call call = {.mesh = &s.mesh, .expected = hash_impacts(&s.mesh, 1)};
    for (call.given = 0; call.given < 3; ++call.given)
        assert_int_equal(in_child(call_with_few_threads, &call), 0);
    assert_true(hash_impacts(&s.mesh, 4) == call.expected);
    free_soup(&s);
}

static int finish_before_others_start(void *context)
{
    (void)context;
    static record r;
    late_seconds = 20;
    late_count = 7;
    double begin = toi_clock();
    return run_noted(&r, 8, 1000) != 0 || toi_clock() - begin > 15;
}

static void note_slowly(void *context, int64_t index, int worker)
{
    struct timespec pause = {.tv_nsec = 1000000};
    nanosleep(&pause, NULL);
    note(context, index, worker);
}

static int start_without_the_first(void *context)
{
    (void)context;
    static record records[2] = {{.workers = 16}, {.workers = 16}};
    bool mistakes = false;
    late_seconds = 20;
    late_count = 1;
    for (int even = 0; even < 2; ++even) { // also where the late one has a share
        record *r = &records[even];
        toi_team_run(16, false, even, 500, note_slowly, r);
        mistakes |= r->wrong != 0 || r->arrived != 15;
    }
    return mistakes;
}

// A thread that the system does not run, since others have the cores, holds nobody up: neither the
// caller nor those that it should have passed the loop on to.
static void late_threads_are_not_waited_for(void **state)
{
    (void)state;
    skip_where_children_have_no_threads();
    assert_int_equal(in_child(finish_before_others_start, NULL), 0);
    assert_int_equal(in_child(start_without_the_first, NULL), 0);
}

static void idle_threads_sleep(void **state)
{
    (void)state;
    struct timespec before, after, pause = {.tv_nsec = 200000000}, settle = {.tv_nsec = 50000000};
    assert_int_equal(use_threads(NULL), 0);
    nanosleep(&settle, NULL);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    nanosleep(&pause, NULL);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    double spent =
        (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    assert_true(spent < 0.02);
}

typedef struct signals
{
    record record;
    _Atomic int open, closed; // of the helpers
} signals;

static void look_at_signals(void *context, int64_t index, int worker)
{
    signals *s = context;
    sigset_t set;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    if (worker > 0) {
        s->open += !sigismember(&set, SIGINT) || !sigismember(&set, SIGALRM);
        s->closed += sigismember(&set, SIGSEGV) || sigismember(&set, SIGFPE);
    }
    note(&s->record, index, worker);
}

static void signals_go_to_the_programs_threads(void **state)
{
    (void)state;
    static signals s = {.record = {.workers = 6, .meet = 6}};
    sigset_t own;
    toi_team_run(6, false, false, 100, look_at_signals, &s);
    pthread_sigmask(SIG_SETMASK, NULL, &own);
    assert_int_equal(s.record.arrived, 6);
    assert_int_equal(s.open + s.closed, 0);
    assert_false(sigismember(&own, SIGINT) || sigismember(&own, SIGALRM));
}

typedef struct cores
{
    record record;
    _Atomic int fewest;
} cores;

static void count_cores(void *context, int64_t index, int worker)
{
    cores *c = context;
    cpu_set_t set;
    if (worker > 0 && pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 &&
        CPU_COUNT(&set) < c->fewest)
        c->fewest = CPU_COUNT(&set);
    note(&c->record, index, worker);
}

static int helpers_use_all_cores(void)
{
    static cores c = {.record = {.workers = 4, .meet = 4}, .fewest = INT32_MAX};
    toi_team_run(4, false, true, 100, count_cores, &c);
    return c.record.wrong != 0 || c.fewest < toi_core_count();
}

static int run_bound(void *context)
{
    setenv("OMP_PROC_BIND", "true", 1);
    execl("/proc/self/exe", (const char *)context, "--bound", (char *)NULL);
    return 2;
}

// Where OpenMP binds the first thread of the program to a core, the others are not bound with it.
static void helpers_are_not_bound(void **state)
{
    (void)state;
    if (toi_core_count() < 2 || access("/proc/self/exe", X_OK) != 0)
        skip();
    assert_int_equal(in_child(run_bound, "test_team"), 0);
}

// No thread is left in the code of a library that is unloaded.
static void the_library_can_be_unloaded(void **state)
{
    (void)state;
    int rounds = getenv("TOI_SANITIZED") ? 2 : 10;
    soup s = make_large_soup();
    uint64_t expected = hash_impacts(&s.mesh, 1);
    int before = count_threads();
    for (int round = 0; round < rounds; ++round) {
        void *library = dlopen(TOI_SHARED_LIBRARY, RTLD_NOW | RTLD_LOCAL);
        assert_non_null(library);
        toi_status (*find)(const toi_ccd_def *, const toi_mesh *, toi_impact_array *,
                           toi_ccd_report *);
        void (*release)(toi_impact_array *);
        *(void **)&find = dlsym(library, "toi_find_impacts");
        *(void **)&release = dlsym(library, "toi_free_impacts");
        toi_ccd_def def = toi_default_ccd_def();
        def.workers = 4;
        toi_impact_array impacts = {0};
        assert_int_equal(find(&def, &s.mesh, &impacts, NULL), TOI_OK);
        assert_true(count_threads() == before + 3 || before < 0);
        assert_true(toi_hash(impacts.data, (size_t)impacts.count * sizeof *impacts.data) ==
                    expected);
        release(&impacts);
        dlclose(library);
        assert_int_equal(count_threads(), before);
    }
    free_soup(&s);
}

typedef struct own_loop
{
    int calls;
} own_loop;

static void backwards(void *user, int workers, int64_t count, toi_task_fn *task, void *context)
{
    ++((own_loop *)user)->calls;
    for (int64_t i = count; i-- > 0;)
        task(context, i, (int)(i % workers));
}

// A caller's own loop takes the place of these threads, in any order that it likes.
static void callers_may_bring_their_own_loop(void **state)
{
    (void)state;
    soup s = make_large_soup();
    uint64_t expected = hash_impacts(&s.mesh, 1);
    own_loop own = {0};
    toi_set_hooks(&(toi_hooks){.user = &own, .parallel_for = backwards});
    assert_true(hash_impacts(&s.mesh, 4) == expected);
    assert_true(own.calls > 5);
    toi_set_hooks(NULL);
    free_soup(&s);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--bound") == 0)
        return helpers_use_all_cores();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once),
        cmocka_unit_test(all_workers_take_part),
        cmocka_unit_test(shares_stay_with_their_workers),
        cmocka_unit_test(large_blocks_stay_at_hand),
        cmocka_unit_test(several_callers_at_once),
        cmocka_unit_test(callers_may_end),
        cmocka_unit_test(loops_inside_tasks),
        cmocka_unit_test(loops_inside_openmp),
        cmocka_unit_test(children_have_threads),
        cmocka_unit_test(threads_may_be_refused),
        cmocka_unit_test(answers_do_not_depend_on_threads_given),
        cmocka_unit_test(late_threads_are_not_waited_for),
        cmocka_unit_test(idle_threads_sleep),
        cmocka_unit_test(signals_go_to_the_programs_threads),
        cmocka_unit_test(helpers_are_not_bound),
        cmocka_unit_test(the_library_can_be_unloaded),
        cmocka_unit_test(callers_may_bring_their_own_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
