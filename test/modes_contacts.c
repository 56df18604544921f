// Contacts with fields, and the searches of the literature, in every floating-point mode.

#include "modes.h"

#include "modes_calls.h"
#include "toi/sdf.h"

static void ask_solvers(const toi_surface *surface, const toi_motion *motion,
                        const toi_field *field)
{
    toi_status status;
    toi_sdf_result result;
    toi_sdf_def def = toi_default_sdf_def();
    for (int solver = TOI_SDF_FWGSS; solver < TOI_SDF_SOLVER_COUNT; ++solver) {
        def.solver = (toi_sdf_solver)solver;
        IN_MODE(status = toi_find_field_impact(&def, surface, motion, field, &result));
        assert_int_equal(status, TOI_OK);
        assert_int_equal(result.state, TOI_SDF_HIT);
        keep(&result, sizeof result);
    }
}

static void ask_contacts(const toi_surface *surface, const toi_motion *motion,
                         const toi_field *field)
{
    toi_status status;
    toi_contact_def def;
    toi_field_contact_array contacts = {0};
    IN_MODE(def = toi_default_contact_def());
    def.workers = 2;
    IN_MODE(status = toi_find_field_contacts(&def, surface, motion, 1.0 / 3, field, &contacts));
    assert_int_equal(status, TOI_OK);
    assert_true(contacts.count >= 3);
    keep(contacts.data, (size_t)contacts.count * sizeof *contacts.data);
    IN_MODE(toi_free_field_contacts(&contacts));
}

// A tetrahedron that turns in the tube of a ring.
void call_contacts(void)
{
    static const double points[4][3] = {{0.1, 0.1, 0.1}, {0.4, 0, 0.1}, {0, 0.3, 0}, {0.1, 0, 0.7}};
    static const int32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    toi_surface *surface;
    toi_field *field;
    toi_motion motion = toi_default_motion();
    motion.mesh.spin[1] = 1;
    motion.field.spin[0] = 0.3;
    motion.mesh.position[0] = 0.3;
    assert_int_equal(toi_make_shape(TOI_SHAPE_TORUS, (double[]){0.5, 0.2}, 2, &field), TOI_OK);
    assert_int_equal(toi_make_surface(toi_view_points(points[0], 4),
                                      (toi_index_view){faces[0], 4, 0}, 1, &surface),
                     TOI_OK);
    ask_solvers(surface, &motion, field);
    ask_contacts(surface, &motion, field);
    toi_free_surface(surface);
    toi_free_field(field);
}
