#ifndef REUNION_VFS_FILES_H
#define REUNION_VFS_FILES_H
#include "CSQLite.h"

/* The file of a write-ahead log: see GatheredLog.c. */
extern const int reunion_log_file_bytes;
int reunion_log_open(
    sqlite3_vfs *real, sqlite3_filename name, sqlite3_file *base, int flags, int *out_flags);
#endif
