// toi scene: writes the frames of a procedural scene, or lists the scenes there are.

#include "command.h"
#include "failure.h"
#include "frames.h"
#include "json.h"
#include "output.h"
#include "progress.h"
#include "text.h"

#include <limits.h>
#include <stdio.h>

typedef struct settings
{
    scene_choice choice;
    common common;
    bool list;
    const char *out;
} settings;

static const option output_options[] = {
    {.name = "out",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, out),
     .argument = "DIR",
     .help = "write frame_0000.ply, frame_0001.ply ... there; made unless it exists"},
    {.name = "list", .offset = offsetof(settings, list), .help = "list the scenes"},
    {0}};

// ---------------------------------------------------------------------------------------------
// The list

static toi_status list_scenes(bool json)
{
    json_t *scenes = json_array();
    for (int i = 0; toi_animation_name(i); ++i) {
        if (json)
            json_array_append_new(scenes, json_pack("{s:s, s:s}", "name", toi_animation_name(i),
                                                    "about", toi_animation_about(i)));
        else
            printf("%-14s%s\n", toi_animation_name(i), toi_animation_about(i));
    }
    if (json)
        return print_json(json_pack("{s:o}", "scenes", scenes));
    json_decref(scenes);
    return TOI_OK;
}

// ---------------------------------------------------------------------------------------------
// The frames

static toi_status write_frame(const char *folder, const toi_animation *scene, int frame,
                              json_t *files)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/frame_%04d.ply", folder, frame);
    if (length < 0 || (size_t)length >= sizeof path)
        return toi_fail(TOI_ERROR_FILE, "%s: the name is too long", folder);
    json_array_append_new(files, json_text(path));
    toi_point_view points = {.data = scene->points + frame * scene->point_count,
                             .count = scene->point_count};
    toi_index_view faces = {.data = (const int32_t *)scene->faces, .count = scene->face_count};
    toi_index_view edges = {.data = (const int32_t *)scene->edges, .count = scene->edge_count};
    return toi_write_ply(path, points, faces, edges);
}

static toi_status write_frames(const char *folder, const toi_animation *scene, json_t *files)
{
    progress bar = start_progress(1);
    toi_progress_fn *show = progress_function();
    toi_status status = make_folder(folder);
    for (int frame = 0; frame < scene->frames && status == TOI_OK; ++frame) {
        status = write_frame(folder, scene, frame, files);
        if (show)
            show(&bar, (frame + 1.0) / scene->frames);
    }
    end_progress(&bar);
    return status;
}

static toi_status count_edges(const toi_animation *scene, int64_t *count)
{
    toi_index_view faces = {.data = (const int32_t *)scene->faces, .count = scene->face_count};
    toi_index_view loose = {.data = (const int32_t *)scene->edges, .count = scene->edge_count};
    toi_edge_array edges = {0};
    toi_status status = toi_make_edges(faces, loose, scene->point_count, &edges);
    *count = edges.count;
    toi_free_edges(&edges);
    return status;
}

// Of all frames, the faces and the loose edges: the hash of their hashes.
static uint64_t hash_scene(const toi_animation *scene)
{
    size_t points = (size_t)scene->frames * (size_t)scene->point_count;
    uint64_t hashes[3] = {toi_hash(scene->points, points * sizeof *scene->points),
                          toi_hash(scene->faces, (size_t)scene->face_count * sizeof *scene->faces),
                          toi_hash(scene->edges, (size_t)scene->edge_count * sizeof *scene->edges)};
    return toi_hash(hashes, sizeof hashes);
}

static toi_status report_scene(const settings *s, const toi_animation *scene, json_t *files)
{
    int64_t edges;
    toi_status status = count_edges(scene, &edges);
    if (status != TOI_OK)
        return status;
    uint64_t hash = hash_scene(scene);
    if (s->common.json)
        return print_json(json_pack(
            "{s:s, s:I, s:I, s:I, s:i, s:I, s:O, s:o}", "name", s->choice.scene, "vertices",
            (json_int_t)scene->point_count, "faces", (json_int_t)scene->face_count, "edges",
            (json_int_t)edges, "frames", scene->frames, "length", (json_int_t)scene->length,
            "files", files, "hash", json_hash(hash)));
    printf("%s\n", s->choice.scene);
    printf("mesh    %s vertices, %s edges, %s faces\n", count_text(scene->point_count).at,
           count_text(edges).at, count_text(scene->face_count).at);
    printf("frames  %s of %s\n", count_text(scene->frames).at, count_text(scene->length).at);
    printf("files   %s ... %s\n", json_string_value(json_array_get(files, 0)),
           json_string_value(json_array_get(files, json_array_size(files) - 1)));
    printf("hash    %s\n", hash_text(hash).at);
    return TOI_OK;
}

static toi_status make_scene(const settings *s)
{
    toi_animation_def def;
    toi_animation scene = {0};
    json_t *files = json_array();
    toi_status status = choose_scene(&s->choice, &def);
    if (status == TOI_OK && !s->out)
        status = toi_fail(TOI_ERROR_ARGUMENT, "where do the frames go? Give --out DIR");
    if (status == TOI_OK)
        status = toi_make_animation(&def, &scene);
    if (status == TOI_OK)
        status = write_frames(s->out, &scene, files);
    if (status == TOI_OK)
        status = report_scene(s, &scene, files);
    json_decref(files);
    toi_free_animation(&scene);
    return status;
}

int run_scene(int argc, char **argv)
{
    settings s = {.choice = default_scene_choice(), .common = default_common()};
    const option_group groups[] = {{"Output", output_options, &s},
                                   {"The scene", scene_options, &s.choice},
                                   {"Common", common_options, &s.common},
                                   {0}};
    const command_line line = {
        .usage = "scene NAME --out DIR [OPTION...]\nscene [--list]",
        .about =
            "Writes the frames of a procedural scene as PLY files, the same on every machine;\n"
            "without a name lists the scenes.",
        .examples = "scene cloth-ball --frames 10 --size 10000 --seed 1 --out frames\n"
                    "scene --list",
        .groups = groups,
        .most_operands = 1};
    operand_list operands;
    int code = parse_command_line(&line, argc, argv, &operands);
    if (code != GO_ON)
        return code;
    apply_threads(&s.common);
    s.choice.scene = operands.count > 0 ? operands.at[0] : NULL;
    return finish(s.list || !s.choice.scene ? list_scenes(s.common.json) : make_scene(&s));
}
