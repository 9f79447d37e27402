#ifndef REUNION_CPOSTGRES_H
#define REUNION_CPOSTGRES_H
#include <libpq-fe.h>
#endif
