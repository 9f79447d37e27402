#ifndef REUNION_CSYSTEMBUS_H
#define REUNION_CSYSTEMBUS_H
#include <systemd/sd-bus.h>
#endif
