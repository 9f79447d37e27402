/* The write-ahead log of a database, whose frames go to the disk in few writes. */
#ifndef REUNION_LOG_FILE_H
#define REUNION_LOG_FILE_H

#include "CSQLite.h"

/* How many bytes a log's file takes, before those of the file of the VFS below. */
int reunion_log_file_bytes(void);

/* Opens a log over `real`, into memory of `reunion_log_file_bytes() + real->szOsFile` bytes. */
int reunion_log_file_open(
    sqlite3_vfs *real, sqlite3_filename name, sqlite3_file *file, int flags, int *out_flags);

#endif
