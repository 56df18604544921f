// Where impacts are, and files of them.

#include "impact_file.h"

#include "method_options.h"
#include "output.h"

// The share `s` of the way from one to the other. By halves, so that no sum of large numbers
// overflows.
static double between(double from, double to, double s)
{
    return 2 * (0.5 * from + s * (0.5 * to - 0.5 * from));
}

void trace_impact(const toi_mesh *mesh, const toi_impact *impact, double start[3], double end[3])
{
    toi_query query =
        toi_gather_query(mesh, (toi_kind)impact->kind, (toi_pair){impact->a, impact->b});
    double along = impact->kind == TOI_EDGE_EDGE ? impact->u : 0;
    for (int k = 0; k < 3; ++k) {
        start[k] = between(query.start[0][k], query.start[1][k], along);
        end[k] = between(query.end[0][k], query.end[1][k], along);
    }
}

void locate_impact(const toi_mesh *mesh, const toi_impact *impact, double at[3])
{
    double start[3], end[3];
    trace_impact(mesh, impact, start, end);
    for (int k = 0; k < 3; ++k)
        at[k] = between(start[k], end[k], impact->time);
}

static void write_impact(FILE *file, const toi_mesh *mesh, const toi_impact *impact)
{
    double at[3];
    locate_impact(mesh, impact, at);
    write_pair(file, kind_choice(impact->kind), impact->a, impact->b, ',');
    fprintf(file, "%a,%.17g,%.17g,%.17g,%s", impact->time, impact->u, impact->v, impact->time,
            toi_state_name((toi_state)impact->state));
    fprintf(file, ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", at[0], at[1], at[2], impact->normal[0],
            impact->normal[1], impact->normal[2]);
}

toi_status write_impacts(const char *path, const toi_mesh *mesh, const toi_impact_array *impacts)
{
    toi_output output;
    toi_status status = toi_open_output(path, &output);
    if (status != TOI_OK)
        return status;
    fputs("kind,a,b,time_hex,u,v,time,state,x,y,z,nx,ny,nz\n", output.file);
    for (int64_t i = 0; i < impacts->count; ++i)
        write_impact(output.file, mesh, &impacts->data[i]);
    return toi_close_output(&output);
}
