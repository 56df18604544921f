// The broad phases of other libraries on the scenes of 'toi bench broad', with its columns. Each
// is run in a process of its own, so that the memory it takes can be told.

#include "bench_broad_rows.h"
#include "failure.h"
#include "narrow.h"
#include "overlap.h"
#include "pair_lists.h"
#include "scene_search.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// How a child ends. What failed it has said itself.
enum
{
    CHILD_DONE,
    CHILD_FAILED
};

static const struct
{
    const char *name;
    peer_function *find;
    bool threads; // can it use several?
    const char *simd;
} peers[] = {
#ifdef TOI_PEERS_CGAL
    {"cgal", search_cgal, true, "baseline"},
#endif
#ifdef TOI_PEERS_BULLET
    {"bullet", search_bullet, false, "baseline"},
#endif
#ifdef TOI_PEERS_EMBREE
    {"embree", search_embree, true, "own"},
#endif
#ifdef TOI_PEERS_FCL
    {"fcl", search_fcl, false, "baseline"},
#endif
    {NULL, NULL, false, NULL}};

enum
{
    PEER_COUNT = sizeof peers / sizeof *peers - 1
};

static const char *peer_choice(int index)
{
    return peers[index].name;
}

typedef struct settings
{
    broad_source choice;
    const char *peers;
    const char *threads; // a list
    int repeat;
} settings;

static const option run_options[] = {
    {.name = "peers",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, peers),
     .argument = "A,B,C",
     .help = "run these; all that were built unless given"},
    {.name = "threads",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, threads),
     .argument = "A,B,C",
     .help = "with so many threads each, 0: all cores; 1,2 unless given; bullet and fcl "
             "have only 1"},
    {.name = "repeat",
     .type = OPTION_INT,
     .offset = offsetof(settings, repeat),
     .argument = "N",
     .help = "run N times, count the fastest; what takes longer than 10 s is not run again",
     .least = 1,
     .most = MOST_REPEATS,
     .range = REPEAT_RANGE},
    {0}};

// A scene, and what truly collides in it; nothing is known of a set of boxes.
typedef struct judged_scene
{
    broad_scene scene;
    toi_impact_array truth;
} judged_scene;

// ---------------------------------------------------------------------------------------------
// In the child

// Bytes that /proc says of this process: VmRSS now, VmHWM at most. 0 where it says nothing.
static int64_t resident_bytes(const char *what)
{
    char line[128];
    long long kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, what, strlen(what)) == 0)
            kilobytes = strtoll(line + strlen(what) + 1, NULL, 10);
    if (file)
        fclose(file);
    return 1024 * kilobytes;
}

// One thread by the processor time of the process, as libraries have threads of their own.
static double seconds_of(int threads)
{
    struct timespec now;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static toi_status measure(const settings *s, const judged_scene *judged, int peer, broad_row *row)
{
    toi_pair_array pairs[TOI_KIND_COUNT] = {{0}};
    run_times times = {.repeat = s->repeat};
    int64_t before = resident_bytes("VmRSS");
    toi_status status = TOI_OK;
    while (status == TOI_OK && wants_run(&times)) {
        double started = seconds_of(row->threads);
        status = search_scene(peers[peer].find, &judged->scene, row->threads, pairs);
        if (status == TOI_OK)
            count_run(&times, seconds_of(row->threads) - started);
    }
    if (status == TOI_OK)
        set_row_times(row, &times);
    row->peak_bytes = resident_bytes("VmHWM") - before;
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        row->pairs += pairs[kind].count;
    if (status == TOI_OK)
        status = sort_pair_lists(pairs, 1);
    if (status == TOI_OK && !judged->scene.boxes)
        judge_row(row, &judged->truth, pairs);
    row->hash = hash_pair_lists(pairs);
    free_pair_lists(pairs);
    return status;
}

// What toi finds on the same boxes, or on float boxes around them.
static toi_status find_with_toi(const broad_scene *scene, bool floats, broad_row *row)
{
    toi_pair_array pairs[TOI_KIND_COUNT] = {{0}};
    toi_status status = TOI_OK;
    toi_ccd_def def = toi_default_ccd_def();
    def.float_boxes = floats;
    def.workers = 1;
    def.broad.workers = 1;
    for (int64_t i = 0; scene->boxes && floats && i < scene->count; ++i) {
        toi_box_float rounded;
        toi_round_boxes((toi_box_view){&scene->boxes[i], 1}, &rounded);
        for (int k = 0; k < 3; ++k) {
            scene->boxes[i].lo[k] = (double)rounded.lo[k];
            scene->boxes[i].hi[k] = (double)rounded.hi[k];
        }
    }
    if (scene->boxes)
        status = toi_find_pairs(&def.broad, (toi_box_view){scene->boxes, scene->count},
                                &pairs[TOI_EDGE_EDGE]);
    for (int kind = 0; kind < TOI_PAIR_KINDS && !scene->boxes && status == TOI_OK; ++kind)
        status = toi_find_candidates(&def, &scene->moving.mesh, (toi_kind)kind, &pairs[kind], NULL);
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind)
        row->pairs += pairs[kind].count;
    row->hash = hash_pair_lists(pairs);
    free_pair_lists(pairs);
    return status;
}

// ---------------------------------------------------------------------------------------------
// In the parent

// Runs a peer, or with a number below 0 toi, in a child that sends the row back.
static toi_status run_child(const settings *s, const judged_scene *judged, int peer, bool floats,
                            broad_row *row)
{
    int ends[2];
    fflush(stdout);
    malloc_trim(0); // free memory that the child inherits would hide what it takes
    if (pipe(ends) != 0)
        return toi_fail(TOI_ERROR_LIMIT, "no pipe");
    pid_t child = fork();
    if (child == 0) {
        toi_status status =
            peer >= 0 ? measure(s, judged, peer, row) : find_with_toi(&judged->scene, floats, row);
        bool sent = status == TOI_OK && write(ends[1], row, sizeof *row) == sizeof *row;
        if (status != TOI_OK)
            finish(status);
        _exit(sent ? CHILD_DONE : CHILD_FAILED);
    }
    close(ends[1]);
    bool received = child > 0 && read(ends[0], row, sizeof *row) == sizeof *row;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return received ? TOI_OK : toi_fail(TOI_ERROR_LIMIT, "%s failed", row->method);
}

static const char *compare(const broad_row *row, const broad_row *exact, const broad_row *floats)
{
    if (row->hash == exact->hash)
        return "the pairs of toi";
    return row->hash == floats->hash ? "the pairs of toi with float boxes" : "other pairs than toi";
}

static toi_status run_scene(const settings *s, const judged_scene *judged, const bool chosen[],
                            const int threads[], int thread_count)
{
    broad_row exact = {.method = "toi"}, floats = {.method = "toi"};
    toi_status status = run_child(s, judged, -1, false, &exact);
    if (status == TOI_OK)
        status = run_child(s, judged, -1, true, &floats);
    for (int peer = 0; peer < PEER_COUNT; ++peer)
        for (int t = 0; t < thread_count && status == TOI_OK; ++t) {
            if (!chosen[peer] || (threads[t] > 1 && !peers[peer].threads))
                continue;
            broad_row row = {
                .threads = threads[t], .boxes = judged->scene.count, .made = *this_environment()};
            copy_name(row.scene, judged->scene.name);
            copy_name(row.method, peers[peer].name);
            copy_name(row.simd, peers[peer].simd);
            status = run_child(s, judged, peer, false, &row);
            if (status == TOI_OK) {
                write_row(stdout, &row);
                fprintf(stderr, "%s on %s, threads %d: %s\n", row.method, row.scene, row.threads,
                        compare(&row, &exact, &floats));
            }
        }
    return status;
}

static toi_status run(const settings *s, const operand_list *operands)
{
    bool chosen[PEER_COUNT + 1];
    int threads[MOST_THREAD_COUNTS], thread_count = 0, scenes = 0;
    toi_status status = count_scenes(&s->choice, operands, &scenes);
    if (status == TOI_OK && scenes == 0)
        status = toi_fail(TOI_ERROR_ARGUMENT,
                          "boxes are needed: START and END, --scene NAME, --all-scenes or "
                          "--scaling");
    if (status == TOI_OK && PEER_COUNT == 0)
        status = toi_fail(TOI_ERROR_UNSUPPORTED, "CGAL, Bullet, Embree and FCL were not found when "
                                                 "this was built: see bench/peers/README.md");
    if (status == TOI_OK)
        status = choose_names("peers", s->peers, peer_choice, chosen);
    if (status == TOI_OK)
        status = choose_threads(s->threads, threads, &thread_count);
    // The parent has no threads, which a child could not use.
    apply_threads(&(common){.threads = 1});
    if (status == TOI_OK)
        write_row_titles(stdout);
    for (int i = 0; i < scenes && status == TOI_OK; ++i) {
        judged_scene judged = {.truth = {0}};
        status = open_scene(&s->choice, operands, i, &judged.scene);
        if (status == TOI_OK && !judged.scene.boxes)
            status = find_true_impacts(&judged.scene.moving.mesh, 1, &judged.truth);
        if (status == TOI_OK)
            status = run_scene(s, &judged, chosen, threads, thread_count);
        toi_free_impacts(&judged.truth);
        close_scene(&judged.scene);
    }
    return status;
}

static int run_broad(int argc, char **argv)
{
    settings s = {.choice = default_broad_source(), .threads = "1,2", .repeat = 1};
    const option_group groups[] = {{"Boxes", broad_scene_options, &s.choice},
                                   {"A scene instead of files", frame_options, &s.choice.scene},
                                   {"Runs", run_options, &s},
                                   {0}};
    const command_line line = {
        .usage = "START END [OPTION...]\n"
                 "--scene NAME [OPTION...]\n"
                 "--all-scenes [OPTION...]\n"
                 "--scaling [OPTION...]\n"
                 "--narrow ...\n"
                 "--overlap ...",
        .about =
            "Runs the broad phases of other libraries on the scenes of 'toi bench broad' and\n"
            "prints rows with its columns, to be shown beside its own with --add. cgal and\n"
            "fcl compare doubles, bullet and embree floats, of boxes rounded outward: they\n"
            "may find a few more pairs. Whether they do is said on standard error. With\n"
            "--narrow as the first argument it runs narrow phases, with --overlap searches for\n"
            "intersecting faces: see peers --narrow --help and peers --overlap --help.",
        .examples = "start.ply end.ply --repeat 3 >peers.csv\n"
                    "--scene giants --size 100000 --peers cgal --threads 1",
        .groups = groups,
        .most_operands = 2};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    return code == GO_ON ? finish(run(&s, &operands)) : code;
}

int main(int argc, char **argv)
{
    set_program("peers");
    if (argc > 1 && strcmp(argv[1], "--narrow") == 0)
        return run_narrow(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "--overlap") == 0)
        return run_overlap(argc - 1, argv + 1);
    return run_broad(argc, argv);
}
