#define _GNU_SOURCE // pthread_setname_np
// A set of threads that every loop of the process borrows from.
//
// OpenMP's runtime ends the process where a thread cannot be created, and its threads spin between
// loops, which on a busy machine takes the time of those that work. Here a thread that is refused
// is one worker less, and a thread without work blocks after some microseconds.
//
// A loop borrows helpers, offers each its share and begins to work itself. A helper that has not
// come when no task is left is not waited for: the offer is taken back. So a helper that the system
// does not run, since other programs have the cores, costs its loop nothing but the call that wakes
// it.
//
// Tasks are taken in runs of neighbours, longer ones first: what one task has brought into a core's
// cache the next one often needs. The last ones are single tasks, so that all workers end at about
// the same time. Where tasks are many, or take the same time each, every worker has a share of
// them, about the same part in every loop, and takes from those of others when it is done: what it
// needs it has often written itself, in the loop before. Few tasks of which some take long are
// better taken in turn, since those that are left at the end should not be of these.
//
// What helpers need outside of a loop is static. Nothing is allocated, and a thread that calls the
// library may end at any time.

#include "base/team.h"

#include "base/cores.h"
#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

// Nanoseconds. To block and to be woken costs both sides about ten thousand, so a thread that waits
// looks that long for what it waits for. A helper goes on for longer, to be there for the next loop
// of the call, but lets others have its core in between: when that took LOST or more, somebody
// wanted it, and for RESPECT no helper does this again.
#define SPIN 10000
#define LINGER 300000
#define LOST 50000
#define RESPECT 100000000

enum
{
    RUNS = 64, // of a worker, if they stayed as long as the first ones: some tasks take fifty times
               // as long as others, and their neighbours likewise
    MANY = 128 // tasks for each worker
};

// What a helper is doing. It makes the steps to ASLEEP and BUSY itself, its loop those to OFFERED
// and AWAITED, both that to FREE.
enum
{
    FREE,    // looks for an offer, or wakes up to do so
    ASLEEP,  // blocked or about to block: an offer must wake it
    OFFERED, // may join a loop
    BUSY,    // has joined it
    AWAITED  // has joined it, and the loop's caller is blocked until it is done
};

typedef struct share
{
    _Alignas(64) _Atomic int64_t next; // the first task that nobody has taken
    int64_t end;                       // of the share
} share;

typedef struct loop
{
    share share;                      // of the caller
    uint16_t places[TOI_MAX_WORKERS]; // of helper number 1 to helper_count
    toi_task_fn *task;
    void *context;
    int64_t count;
    int64_t runs; // a run is one of as many parts of what is left of a share, or a single task
    int helper_count;
    int share_count; // of the first workers
    bool spin;
} loop;

typedef struct helper
{
    _Alignas(64) _Atomic int state;
    _Atomic bool spin;      // before it blocks
    _Atomic bool passed_on; // its loop to two others
    int number;             // in its loop
    loop *loop;             // NULL: the thread shall end
    pthread_mutex_t mutex;  // belongs to `changed`
    pthread_cond_t changed; // from ASLEEP or AWAITED
    pthread_t thread;
    struct helper *next; // in the list that it is in
    share share;         // of its loop
} helper;

// One place for each thread that there may be: the caller makes it TOI_MAX_WORKERS.
static helper helpers[TOI_MAX_WORKERS - 1];

static struct
{
    pthread_mutex_t mutex; // no other function is called while it is held
    helper *idle;          // have a thread
    helper *vacant;        // have none any more
    int used;              // places that were ever taken
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local bool inside; // this thread runs tasks

static void relax(void)
{
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// False once the helper is in another state, true when the time is up before.
static bool spin_while(helper *h, int state)
{
    for (int64_t end = nanoseconds() + SPIN; nanoseconds() < end;)
        for (int i = 0; i < 8; ++i) {
            if (atomic_load(&h->state) != state)
                return false;
            relax();
        }
    return true;
}

static void linger(helper *h)
{
    static _Atomic int64_t lost_at = -RESPECT;
    int64_t begin = nanoseconds();
    while (spin_while(h, FREE)) {
        int64_t before = nanoseconds();
        if (before - begin > LINGER || before - lost_at < RESPECT)
            return;
        sched_yield();
        int64_t after = nanoseconds();
        if (after - before >= LOST)
            lost_at = after;
    }
}

// Blocks while the helper is in that state. Whoever changes it calls wake() after.
static void block_while(helper *h, int state)
{
    pthread_mutex_lock(&h->mutex);
    while (atomic_load(&h->state) == state)
        pthread_cond_wait(&h->changed, &h->mutex);
    pthread_mutex_unlock(&h->mutex);
}

static void wake(helper *h)
{
    pthread_mutex_lock(&h->mutex); // not between its look at the state and its sleep
    pthread_cond_signal(&h->changed);
    pthread_mutex_unlock(&h->mutex);
}

static void offer(helper *h, loop *l, int number)
{
    h->loop = l;
    h->number = number;
    h->spin = l && l->spin;
    if (atomic_exchange(&h->state, OFFERED) == ASLEEP)
        wake(h);
}

static share *share_of(loop *l, int worker)
{
    return worker == 0 ? &l->share : &helpers[l->places[worker]].share;
}

// Whose share comes after a worker's.
static int next_share(const loop *l, int worker)
{
    return worker + 1 < l->share_count ? worker + 1 : 0;
}

// The first share that a worker takes from: its own, if it has one.
static int first_share(const loop *l, int worker)
{
    return worker < l->share_count ? worker : 0;
}

// Is there a task that nobody has taken?
static bool any_left(loop *l, int worker)
{
    for (int i = 0, of = first_share(l, worker); i < l->share_count; ++i, of = next_share(l, of)) {
        share *s = share_of(l, of);
        if (atomic_load(&s->next) < s->end)
            return true;
    }
    return false;
}

// Worker n offers the loop to helpers 2n + 1 and 2n + 2, so that with many of them the caller does
// not wake each, and nobody is woken when no task is left.
static void offer_on(loop *l, int worker)
{
    for (int number = 2 * worker + 1; number <= 2 * worker + 2; ++number)
        if (number <= l->helper_count && any_left(l, number))
            offer(&helpers[l->places[number]], l, number);
}

static void pass_on(loop *l, int number)
{
    if (!atomic_exchange(&helpers[l->places[number]].passed_on, true))
        offer_on(l, number);
}

// Others may take tasks between the two looks at `next`: the run is then a little long.
static bool run_next(loop *l, share *s, int worker)
{
    int64_t rest = s->end - atomic_load(&s->next);
    if (rest <= 0)
        return false;
    int64_t length = rest > l->runs ? rest / l->runs : 1;
    int64_t first = atomic_fetch_add(&s->next, length);
    for (int64_t i = first; i < first + length && i < s->end; ++i)
        l->task(l->context, i, worker);
    return true;
}

static void help(loop *l, int number)
{
    pass_on(l, number);
    for (int i = 0, of = first_share(l, number); i < l->share_count; ++i, of = next_share(l, of))
        while (run_next(l, share_of(l, of), number)) {}
}

// After each run the caller passes the loop on for one helper, in case that one has not come.
static void lead(loop *l)
{
    int number = 1;
    offer_on(l, 0);
    for (int of = 0; of < l->share_count; ++of)
        while (run_next(l, share_of(l, of), 0))
            if (number <= l->helper_count)
                pass_on(l, number++);
}

static void join_loop(helper *h)
{
    for (;;) {
        if (h->spin)
            linger(h);
        int state = OFFERED;
        if (atomic_compare_exchange_strong(&h->state, &state, BUSY))
            return;
        atomic_compare_exchange_strong(&h->state, &state, ASLEEP); // FREE, unless offered just now
        block_while(h, ASLEEP);
    }
}

static void *serve(void *place)
{
    helper *h = place;
    inside = true;
#if defined(__linux__)
    pthread_setname_np(pthread_self(), "toi");
#endif
    toi_leave_bound_core();
    for (;;) {
        join_loop(h);
        if (!h->loop)
            return NULL;
        help(h->loop, h->number);
        // After this the loop may be gone.
        if (atomic_exchange(&h->state, FREE) == AWAITED)
            wake(h);
    }
}

static helper *pop(helper **list)
{
    helper *h = *list;
    if (h)
        *list = h->next;
    return h;
}

static void push(helper **list, helper *h)
{
    h->next = *list;
    *list = h;
}

// Signals that come from outside are for the program's own threads. Those that a thread causes
// itself, and the profiler's, reach their handlers here too.
static void keep_signals_away(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF};
    sigset_t set;
    sigfillset(&set);
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
        sigdelset(&set, own[i]);
    pthread_sigmask(SIG_SETMASK, &set, before);
}

// Gives the place a thread. False where the system refuses one.
static bool start(helper *h)
{
    sigset_t before;
    h->state = FREE;
    h->spin = false;
    pthread_mutex_init(&h->mutex, NULL);
    pthread_cond_init(&h->changed, NULL);
    keep_signals_away(&before);
    int error = pthread_create(&h->thread, NULL, serve, h);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0;
}

static helper *take_place(void)
{
    pthread_mutex_lock(&pool.mutex);
    helper *h = pop(&pool.vacant);
    if (!h && pool.used < TOI_MAX_WORKERS - 1)
        h = &helpers[pool.used++];
    pthread_mutex_unlock(&pool.mutex);
    return h;
}

static helper *start_another(void)
{
    helper *h = take_place();
    if (!h || start(h))
        return h;
    pthread_mutex_lock(&pool.mutex);
    push(&pool.vacant, h);
    pthread_mutex_unlock(&pool.mutex);
    return NULL;
}

static void add(loop *l, helper *h)
{
    l->places[++l->helper_count] = (uint16_t)(h - helpers);
    h->passed_on = false;
}

static void borrow(loop *l, int wanted)
{
    helper *h;
    pthread_mutex_lock(&pool.mutex);
    while (l->helper_count < wanted && (h = pop(&pool.idle)))
        add(l, h);
    pthread_mutex_unlock(&pool.mutex);
    while (l->helper_count < wanted && (h = start_another()))
        add(l, h);
}

// Each worker gets a share, or the caller all tasks.
static void share_out(loop *l, bool even)
{
    int64_t workers = l->helper_count + 1;
    l->share_count = even || l->count / workers >= MANY ? (int)workers : 1;
    l->runs = RUNS * workers / l->share_count;
    int64_t each = l->count / l->share_count, more = l->count % l->share_count, at = 0;
    for (int w = 0; w < l->share_count; ++w) {
        share *s = share_of(l, w);
        s->next = at;
        s->end = at += each + (w < more);
    }
}

// Waits for those that have joined, and takes the offers to others back. In the order of their
// numbers: helpers are offered the loop by the caller or by one with a lower number, which by then
// is done or will not come.
static void collect(loop *l)
{
    for (int number = 1; number <= l->helper_count; ++number) {
        helper *h = &helpers[l->places[number]];
        int state = OFFERED;
        if (atomic_compare_exchange_strong(&h->state, &state, FREE) || state != BUSY)
            continue;
        if (l->spin)
            spin_while(h, BUSY);
        if (atomic_compare_exchange_strong(&h->state, &state, AWAITED))
            block_while(h, AWAITED);
    }
}

// The first comes first again: it is the one most likely to be awake.
static void give_back(loop *l)
{
    pthread_mutex_lock(&pool.mutex);
    for (int number = l->helper_count; number > 0; --number)
        push(&pool.idle, &helpers[l->places[number]]);
    pthread_mutex_unlock(&pool.mutex);
}

// After fork() the child has only the thread that called it.
static void before_fork(void)
{
    pthread_mutex_lock(&pool.mutex);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&pool.mutex);
}

static void after_fork_in_child(void)
{
    pool.idle = pool.vacant = NULL;
    pool.used = 0;
    pthread_mutex_unlock(&pool.mutex);
}

// Before the first loop of many workers.
static void prepare_process(void)
{
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
    toi_keep_freed_memory();
}

// When the library is unloaded no thread may be left in its code. At the end of the process loops
// may still run on other threads: those helpers, and a pool that is in use, are left as they are.
__attribute__((destructor)) static void end_threads(void)
{
    if (pthread_mutex_trylock(&pool.mutex) != 0)
        return;
    helper *list = pool.idle;
    pool.idle = NULL;
    pthread_mutex_unlock(&pool.mutex);
    for (helper *h = list; h; h = h->next)
        offer(h, NULL, 0);
    for (helper *h; (h = pop(&list));)
        pthread_join(h->thread, NULL);
}

void toi_team_run(int workers, bool spin, bool even, int64_t count, toi_task_fn *task,
                  void *context)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    loop l = {.task = task, .context = context, .count = count, .spin = spin};
    if (inside || workers <= 1) {
        share_out(&l, even);
        lead(&l);
        return;
    }
    pthread_once(&once, prepare_process);
    borrow(&l, workers - 1);
    share_out(&l, even);
    inside = true;
    lead(&l);
    inside = false;
    collect(&l);
    give_back(&l);
}
