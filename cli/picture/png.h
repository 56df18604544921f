// PNG files of eight bits a channel.

#ifndef TOI_CLI_PICTURE_PNG_H
#define TOI_CLI_PICTURE_PNG_H

#include "toi/base.h"

// Writes `height` rows of `width` pixels, red, green, blue a byte each.
toi_status write_png(const char *path, const uint8_t *pixels, int width, int height);

#endif
