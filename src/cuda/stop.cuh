// Motions in single precision that stop before the end of the step. Compiles for the host too.

#ifndef TOI_CUDA_STOP_CUH
#define TOI_CUDA_STOP_CUH

#include "cuda/apart.cuh"
#include "kernel/single.h"

// The last time to look at for hits up to t_max, rounded up.
TOI_ON_BOTH float toi_stop_time(double t_max)
{
    double last = toi_look_until(t_max);
    float rounded = (float)last;
    return (double)rounded < last ? rounded * (1 + 0x1p-23f) : rounded;
}

// The motion up to a time. Its differences are off by no more than in a search: docs/separation.md,
// section 3. The sizes stay those of the whole motion.
TOI_INLINE void toi_stop_motion(float until, toi_pair_motion *m)
{
    for (int k = 0; k < 3; ++k) {
        m->p[1][k] = m->p[0][k] + until * (m->p[1][k] - m->p[0][k]);
        m->e[1][k] = m->e[0][k] + until * (m->e[1][k] - m->e[0][k]);
        m->g[1][k] = m->g[0][k] + until * (m->g[1][k] - m->g[0][k]);
    }
}

#endif
