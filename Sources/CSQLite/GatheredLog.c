/*
 * The write-ahead log's file: frames of a transaction go to the disk in few large writes. SQLite
 * writes each frame in two, a header and a page, and each call of the system costs as much as the
 * page.
 *
 * What is appended is gathered until the page of a frame that commits: it is on its way to the
 * system before SQLite tells any reader of it. Frames before that are of no use to anyone else, and
 * those of a transaction that ends without a commit are none's. Whatever is not an append (a new
 * log, a frame written again) goes straight through.
 */
#include "VFSFiles.h"

#include <stdint.h>
#include <string.h>

enum { FRAME_HEADER_BYTES = 24, GATHERED_MAX = 16 * (4096 + FRAME_HEADER_BYTES) };

typedef struct {
  sqlite3_file base;
  sqlite3_file *real;      /* the other VFS's file, in the memory after this structure */
  unsigned char *gathered; /* what is not written yet */
  int count;
  sqlite3_int64 end; /* where the next append begins, once it is known; -1 before */
  int is_commit;     /* whether the last header said that its frame commits */
  int is_late;       /* a fault for tests: commits are gathered as well */
} LogFile;

const int reunion_log_file_bytes = (int)sizeof(LogFile);

#define REAL(file) ((LogFile *)file)->real->pMethods
#define REAL_FILE(file) ((LogFile *)file)->real

static int flush(LogFile *log) {
  if (log->count == 0) return SQLITE_OK;
  int count = log->count;
  log->count = 0;
  int status = log->real->pMethods->xWrite(log->real, log->gathered, count, log->end - count);
  if (status != SQLITE_OK) log->end = -1;
  return status;
}

static int write_through(LogFile *log, const void *bytes, int amount, sqlite3_int64 offset) {
  int status = flush(log);
  if (status == SQLITE_OK) {
    status = log->real->pMethods->xWrite(log->real, bytes, amount, offset);
  }
  log->end = status == SQLITE_OK ? offset + amount : -1;
  log->is_commit = 0;
  return status;
}

/* The size of the database after a commit, in pages; 0 in the header of any other frame. */
static int says_commit(const unsigned char *header) {
  return (header[4] | header[5] | header[6] | header[7]) != 0;
}

static int log_write(sqlite3_file *file, const void *bytes, int amount, sqlite3_int64 offset) {
  LogFile *log = (LogFile *)file;
  if (log->gathered == 0) log->gathered = sqlite3_malloc(GATHERED_MAX);
  if (log->gathered == 0 || offset != log->end || amount > GATHERED_MAX) {
    return write_through(log, bytes, amount, offset);
  }
  if (log->count + amount > GATHERED_MAX) {
    int status = flush(log);
    if (status != SQLITE_OK) return status;
  }
  memcpy(log->gathered + log->count, bytes, (size_t)amount);
  log->count += amount;
  log->end += amount;
  if (amount == FRAME_HEADER_BYTES) {
    log->is_commit = says_commit(bytes);
    return SQLITE_OK;
  }
  return log->is_commit && !log->is_late ? flush(log) : SQLITE_OK;
}

static int log_read(sqlite3_file *file, void *buffer, int amount, sqlite3_int64 offset) {
  int status = flush((LogFile *)file);
  if (status != SQLITE_OK) return status;
  return REAL(file)->xRead(REAL_FILE(file), buffer, amount, offset);
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size) {
  int status = flush((LogFile *)file);
  if (status != SQLITE_OK) return status;
  ((LogFile *)file)->end = -1;
  return REAL(file)->xTruncate(REAL_FILE(file), size);
}

static int log_sync(sqlite3_file *file, int flags) {
  int status = flush((LogFile *)file);
  if (status != SQLITE_OK) return status;
  return REAL(file)->xSync(REAL_FILE(file), flags);
}

static int log_size(sqlite3_file *file, sqlite3_int64 *size) {
  int status = flush((LogFile *)file);
  if (status != SQLITE_OK) return status;
  return REAL(file)->xFileSize(REAL_FILE(file), size);
}

/* What is gathered still is of a transaction that did not commit. */
static int log_close(sqlite3_file *file) {
  sqlite3_free(((LogFile *)file)->gathered);
  return REAL(file)->xClose(REAL_FILE(file));
}

static int log_lock(sqlite3_file *file, int level) {
  return REAL(file)->xLock(REAL_FILE(file), level);
}
static int log_unlock(sqlite3_file *file, int level) {
  return REAL(file)->xUnlock(REAL_FILE(file), level);
}
static int log_check_lock(sqlite3_file *file, int *result) {
  return REAL(file)->xCheckReservedLock(REAL_FILE(file), result);
}
static int log_control(sqlite3_file *file, int operation, void *argument) {
  return REAL(file)->xFileControl(REAL_FILE(file), operation, argument);
}
static int log_sector_size(sqlite3_file *file) {
  return REAL(file)->xSectorSize(REAL_FILE(file));
}
static int log_characteristics(sqlite3_file *file) {
  return REAL(file)->xDeviceCharacteristics(REAL_FILE(file));
}

static const sqlite3_io_methods log_methods = {
    .iVersion = 1,
    .xClose = log_close,
    .xRead = log_read,
    .xWrite = log_write,
    .xTruncate = log_truncate,
    .xSync = log_sync,
    .xFileSize = log_size,
    .xLock = log_lock,
    .xUnlock = log_unlock,
    .xCheckReservedLock = log_check_lock,
    .xFileControl = log_control,
    .xSectorSize = log_sector_size,
    .xDeviceCharacteristics = log_characteristics,
};

int reunion_log_open(
    sqlite3_vfs *real, sqlite3_filename name, sqlite3_file *base, int flags, int *out_flags) {
  LogFile *log = (LogFile *)base;
  memset(log, 0, sizeof *log);
  log->real = (sqlite3_file *)(log + 1);
  log->end = -1;
  int status = real->xOpen(real, name, log->real, flags, out_flags);
  if (log->real->pMethods != 0) log->base.pMethods = &log_methods;
  return status;
}

int reunion_gather_commits(sqlite3 *database) {
  sqlite3_file *file = 0;
  int status = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
  if (status != SQLITE_OK) return status;
  if (file == 0 || file->pMethods != &log_methods) return SQLITE_MISUSE;
  ((LogFile *)file)->is_late = 1;
  return SQLITE_OK;
}
