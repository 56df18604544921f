// What toi sdf ccd has found, printed.

#ifndef TOI_CLI_SDF_CCD_REPORT_H
#define TOI_CLI_SDF_CCD_REPORT_H

#include "toi/io.h"
#include "toi/sdf.h"

typedef struct sdf_answer
{
    const char *field_text;
    const char *mesh_name;
    int64_t vertices;
    int64_t faces;
    toi_sdf_def def;
    toi_motion motion;
    toi_field_facts facts;
    toi_sdf_result result;
    double prepare; // seconds for the surface
    double seconds; // of the fastest run
    int threads;
    uint64_t hash;
    double travel;    // how far the vertex that moves most has gone at t_low
    int32_t farthest; // that vertex; -1: there is none
    const char *contact_file;
    toi_field_contact_array contacts;
} sdf_answer;

toi_status print_sdf_object(const sdf_answer *a);
void print_sdf_summary(const sdf_answer *a);

// triangle,u,v,x,y,z,nx,ny,nz,distance, names in the first line; NULL is fine.
toi_status write_contacts(const char *path, const toi_field_contact_array *contacts);

#endif
