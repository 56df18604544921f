// Writes the gallery of cases to a folder: NAME.truth for the first case of every family,
// images.txt with the hashes of the other files, and README.md. With --frames it writes NAME-0.ply
// and NAME-1.ply of every case instead, for programs that draw.

#include "case_files.h"

#include "toi/io.h"

#include <stdio.h>
#include <string.h>

static toi_status write_frames(const moving_case *made, const char *folder)
{
    toi_status status = TOI_OK;
    for (int frame = 0; frame < 2 && status == TOI_OK; ++frame) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s-%d.ply", folder, made->about.name, frame);
        toi_index_view loose = {made->scene.edges[0], made->scene.edge_count, 0};
        status =
            toi_write_ply(path, frame ? made->mesh.end : made->mesh.start, made->mesh.faces, loose);
    }
    return status;
}

static toi_status write_one(int index, const char *folder, bool frames)
{
    moving_case made;
    toi_status status = make_case(index, &made);
    if (status != TOI_OK)
        return status;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.truth", folder, made.about.name);
    if (frames)
        status = write_frames(&made, folder);
    else if (!is_image(&made.about))
        status = write_case(&made, path);
    free_case(&made);
    return status;
}

// Of the images only the hashes stay.
static toi_status write_image_hashes(const char *folder)
{
    toi_status status = write_images(folder);
    for (int i = 0; i < toi_case_count(); ++i) {
        toi_case about = toi_describe_case(i);
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.truth", folder, about.name);
        if (is_image(&about))
            remove(path);
    }
    return status;
}

static toi_status write_all(const char *folder, bool frames)
{
    toi_status status = frames ? TOI_OK : write_image_hashes(folder);
    for (int i = 0; i < toi_case_count() && status == TOI_OK; ++i)
        status = write_one(i, folder, frames);
    if (status != TOI_OK || frames)
        return status;
    char path[4096];
    snprintf(path, sizeof path, "%s/README.md", folder);
    return write_case_list(path);
}

int main(int argc, char **argv)
{
    bool frames = argc == 3 && strcmp(argv[1], "--frames") == 0;
    if (argc != 2 && !frames) {
        fprintf(stderr, "usage: %s [--frames] FOLDER\n", argv[0]);
        return 2;
    }
    const char *folder = argv[argc - 1];
    toi_status status = write_all(folder, frames);
    if (status != TOI_OK) {
        fprintf(stderr, "%s: %s\n", toi_status_name(status), toi_last_message());
        return 1;
    }
    printf("%d cases in %s\n", toi_case_count(), folder);
    return 0;
}
