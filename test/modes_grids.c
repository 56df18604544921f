// Baked fields in every floating-point mode.

#include "io_support.h"
#include "modes.h"
#include "modes_calls.h"

#include "grid_twin.h"

#include <string.h>

static void keep_field(const toi_field *field)
{
    const void *bytes;
    int64_t size;
    toi_status status;
    IN_MODE(status = toi_field_bytes(field, &bytes, &size));
    assert_int_equal(status, TOI_OK);
    keep(bytes, (size_t)size);
}

static void use_again(const toi_field *field)
{
    const void *bytes;
    int64_t size;
    toi_field *again;
    toi_status status = toi_field_bytes(field, &bytes, &size);
    assert_int_equal(status, TOI_OK);
    IN_MODE(status = toi_open_field(bytes, size, NULL, NULL, &again));
    assert_int_equal(status, TOI_OK);
    keep_field(again);
    toi_free_field(again);
    IN_MODE(status = toi_write_field(path_of("modes.field"), field));
    assert_int_equal(status, TOI_OK);
    IN_MODE(status = toi_read_field(path_of("modes.field"), &again));
    assert_int_equal(status, TOI_OK);
    keep_field(again);
    toi_free_field(again);
}

static bool go_on(void *context, double done)
{
    (void)context;
    check_own_mode();
    return done >= 0;
}

void call_grids(void)
{
    double at[3] = {0.1, 1.0 / 3, -7};
    solid s = make_bumpy(6, 1.0 / 3, at);
    for (int i = 0; i < TOI_INTERPOLATION_COUNT; ++i) {
        const char *name;
        toi_bake_def def;
        toi_bake_report report;
        toi_field *field;
        toi_status status;
        IN_MODE(name = toi_interpolation_name((toi_interpolation)i));
        keep(name, strlen(name));
        IN_MODE(def = toi_default_bake_def());
        def.resolution = 10;
        def.interpolation = (toi_interpolation)i;
        def.band = i;
        def.progress = go_on;
        IN_MODE(status = toi_bake_field(&def, solid_points(&s), solid_faces(&s), &report, &field));
        assert_int_equal(status, TOI_OK);
        keep_field(field);
        use_again(field);
        toi_free_field(field);
    }
    free_solid(&s);
}
