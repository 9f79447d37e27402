#ifndef REUNION_CDEFLATE_H
#define REUNION_CDEFLATE_H
#include <zlib.h>
#endif
