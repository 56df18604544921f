#include "toi/exact.h"
