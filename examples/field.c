// A spinning plate flies at a torus: when do they meet, where, and how sure is that?
//
//     cc field.c $(pkg-config --cflags --libs toi) -o field

#include <toi/toi.h>

#include <stdio.h>

static int fail(void)
{
    fprintf(stderr, "field: %s\n", toi_last_message());
    return 1;
}

int main(void)
{
    // A torus about the z axis: a ring of radius 11 cm, a tube of radius 4 cm.
    toi_field *torus;
    if (toi_make_shape(TOI_SHAPE_TORUS, (double[]){0.11, 0.04}, 2, &torus) != TOI_OK)
        return fail();

    // A square plate of 10 cm about the origin, prepared once for any number of questions.
    const double corners[4][3] = {
        {-0.05, -0.05, 0}, {0.05, -0.05, 0}, {0.05, 0.05, 0}, {-0.05, 0.05, 0}};
    const int32_t faces[2][3] = {{0, 1, 2}, {0, 2, 3}};
    toi_surface *plate;
    if (toi_make_surface(toi_view_points(corners[0], 4), (toi_index_view){faces[0], 2, 0}, 1,
                         &plate) != TOI_OK)
        return fail();

    // It starts above the ring and falls at 30 m/s, turning once in a step of 1/60 s.
    toi_motion motion = toi_default_motion();
    motion.duration = 1.0 / 60;
    motion.mesh.position[0] = 0.1;
    motion.mesh.position[2] = 0.3;
    motion.mesh.velocity[2] = -30;
    motion.mesh.spin[1] = 2 * 3.14159265358979 * 60;

    toi_sdf_def def = toi_default_sdf_def();
    toi_sdf_result hit;
    if (toi_find_field_impact(&def, plate, &motion, torus, &hit) != TOI_OK)
        return fail();
    if (hit.state == TOI_SDF_HIT)
        printf("free until %.9f s; triangle %d touches at (%.4f, %.4f, %.4f) by %.9f s\n",
               hit.t_low, hit.triangle, hit.point[0], hit.point[1], hit.point[2], hit.t_high);
    else
        printf("%s: nothing touches before %.9f s\n", toi_sdf_state_name(hit.state), hit.t_low);

    toi_free_surface(plate);
    toi_free_field(torus);
    return 0;
}
