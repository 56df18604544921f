/// @file
/// All of the core library. File I/O is separate: toi/io.h.

#ifndef TOI_TOI_H
#define TOI_TOI_H

#include "toi/base.h"
#include "toi/boxes.h"
#include "toi/broad_phase.h"
#include "toi/ccd.h"
#include "toi/close.h"
#include "toi/device.h"
#include "toi/exact.h"
#include "toi/mesh.h"
#include "toi/narrow_phase.h"
#include "toi/overlap.h"
#include "toi/random.h"
#include "toi/scene.h"
#include "toi/sdf.h"
#include "toi/track.h"

#endif
