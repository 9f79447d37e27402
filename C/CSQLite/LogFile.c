/*
 * SQLite writes a frame of the write-ahead log in two calls, its header of 24 bytes and its page, and
 * each is a call of the system. Here they are gathered, and written as one when a frame commits: a
 * commit of two pages is one call in place of four.
 *
 * What commits is in the file when SQLite's call returns, before the index in shared memory says so;
 * frames of a transaction that is under way are nobody else's to read. Whatever else is asked of the
 * file, and every write of another shape, is preceded by what was gathered: order is kept. A header
 * that SQLite writes anew, for a frame that is there, has no page after it: only one that goes on
 * where the last write ended, with nothing read since, is taken for that of a new frame.
 *
 * After a sync that failed, the system takes what was written for clean, and no later sync writes it.
 * SQLite syncs a log that is not synced at each commit just before it takes it into the database; it
 * ignores the failure, and tries again. A power cut would then leave the first frames of the log over a
 * database that has the last ones. So here each sync after one that failed writes all again that was
 * written since the last one that did not.
 */
#include "LogFile.h"

#include <string.h>

enum { FRAME_HEADER_BYTES = 24, PAGE_BYTES_MAX = 32 * 1024, GATHERED_BYTES_MAX = 64 * 1024 };

typedef struct {
  sqlite3_file base;
  sqlite3_file *real; /* the other VFS's file, in the memory after this structure */
  unsigned char *gathered;
  int gathered_bytes;
  sqlite3_int64 start; /* where in the file they begin */
  sqlite3_int64 next;  /* where the last write ended; -1 where something was read since */
  int expects_page;    /* whether a frame's header was the last to come */
  int is_commit;       /* whether that frame ends a transaction */
  sqlite3_int64 unsynced_start, unsynced_end; /* what was written since the last sync; nothing: equal */
  int sync_failed;                            /* whether the last sync did */
} LogFile;

static LogFile *log_file(sqlite3_file *file) { return (LogFile *)file; }
static sqlite3_file *real_file(sqlite3_file *file) { return log_file(file)->real; }
#define REAL(file) real_file(file)->pMethods

static int write_real(
    LogFile *file, const void *buffer, int amount, sqlite3_int64 offset) {
  int is_synced = file->unsynced_start == file->unsynced_end;
  if (is_synced || offset < file->unsynced_start) file->unsynced_start = offset;
  if (is_synced || offset + amount > file->unsynced_end) file->unsynced_end = offset + amount;
  return file->real->pMethods->xWrite(file->real, buffer, amount, offset);
}

/* Writes what is not on the disk once more, as it reads. */
static int write_again(LogFile *file) {
  const sqlite3_io_methods *real = file->real->pMethods;
  sqlite3_int64 size = 0;
  int status = real->xFileSize(file->real, &size);
  sqlite3_int64 end = file->unsynced_end < size ? file->unsynced_end : size;
  unsigned char *bytes = sqlite3_malloc(GATHERED_BYTES_MAX);
  if (bytes == 0) return SQLITE_IOERR_NOMEM;
  sqlite3_int64 offset = file->unsynced_start;
  while (status == SQLITE_OK && offset < end) {
    int amount = end - offset < GATHERED_BYTES_MAX ? (int)(end - offset) : GATHERED_BYTES_MAX;
    status = real->xRead(file->real, bytes, amount, offset);
    if (status == SQLITE_OK) status = real->xWrite(file->real, bytes, amount, offset);
    offset += amount;
  }
  sqlite3_free(bytes);
  return status;
}

/* Writes what was gathered. What fails is forgotten: SQLite undoes its transaction. */
static int write_gathered(sqlite3_file *base) {
  LogFile *file = log_file(base);
  int amount = file->gathered_bytes;
  if (amount == 0) return SQLITE_OK;
  file->gathered_bytes = 0;
  return write_real(file, file->gathered, amount, file->start);
}

/* Ends a sequence of writes: what follows is not known to be a new frame. */
static int settle(sqlite3_file *base) {
  log_file(base)->expects_page = 0;
  log_file(base)->next = -1;
  return write_gathered(base);
}

static int gather(sqlite3_file *base, const void *buffer, int amount, sqlite3_int64 offset) {
  LogFile *file = log_file(base);
  int follows = offset == file->start + file->gathered_bytes;
  if (!follows || file->gathered_bytes + amount > GATHERED_BYTES_MAX) {
    int status = write_gathered(base);
    if (status != SQLITE_OK) return status;
  }
  if (file->gathered_bytes == 0) file->start = offset;
  memcpy(file->gathered + file->gathered_bytes, buffer, (size_t)amount);
  file->gathered_bytes += amount;
  return SQLITE_OK;
}

/* A frame's header says by the size of the database that it ends a transaction. */
static int commits(const unsigned char *header) {
  return (header[4] | header[5] | header[6] | header[7]) != 0;
}

static int log_write(sqlite3_file *base, const void *buffer, int amount, sqlite3_int64 offset) {
  LogFile *file = log_file(base);
  int goes_on = offset == file->next;
  int is_page = goes_on && file->expects_page && amount >= 512 && amount <= PAGE_BYTES_MAX;
  int is_header = goes_on && !file->expects_page && amount == FRAME_HEADER_BYTES;
  file->expects_page = 0;
  file->next = offset + amount;
  if (file->gathered == 0) file->gathered = sqlite3_malloc(GATHERED_BYTES_MAX);
  if (file->gathered == 0 || !(is_header || is_page)) {
    int status = write_gathered(base);
    if (status != SQLITE_OK) return status;
    return write_real(file, buffer, amount, offset);
  }
  int status = gather(base, buffer, amount, offset);
  if (status != SQLITE_OK) return status;
  if (is_page) return file->is_commit ? write_gathered(base) : SQLITE_OK;
  file->expects_page = 1;
  file->is_commit = commits(buffer);
  return SQLITE_OK;
}

static int log_close(sqlite3_file *base) {
  LogFile *file = log_file(base);
  /* What is left belongs to a transaction that was not committed. */
  sqlite3_free(file->gathered);
  file->gathered = 0;
  file->gathered_bytes = 0;
  return REAL(base)->xClose(file->real);
}

static int log_read(sqlite3_file *file, void *buffer, int amount, sqlite3_int64 offset) {
  int status = settle(file);
  return status != SQLITE_OK ? status : REAL(file)->xRead(real_file(file), buffer, amount, offset);
}
static int log_truncate(sqlite3_file *file, sqlite3_int64 size) {
  int status = settle(file);
  return status != SQLITE_OK ? status : REAL(file)->xTruncate(real_file(file), size);
}
static int log_sync(sqlite3_file *base, int flags) {
  LogFile *file = log_file(base);
  int status = write_gathered(base);
  if (status == SQLITE_OK && file->sync_failed) status = write_again(file);
  if (status != SQLITE_OK) return status;
  status = REAL(base)->xSync(file->real, flags);
  file->sync_failed = status != SQLITE_OK;
  if (status == SQLITE_OK) file->unsynced_start = file->unsynced_end = 0;
  return status;
}
static int log_size(sqlite3_file *file, sqlite3_int64 *size) {
  int status = write_gathered(file);
  return status != SQLITE_OK ? status : REAL(file)->xFileSize(real_file(file), size);
}
static int log_lock(sqlite3_file *file, int level) {
  return REAL(file)->xLock(real_file(file), level);
}
static int log_unlock(sqlite3_file *file, int level) {
  return REAL(file)->xUnlock(real_file(file), level);
}
static int log_check_lock(sqlite3_file *file, int *result) {
  return REAL(file)->xCheckReservedLock(real_file(file), result);
}
static int log_control(sqlite3_file *file, int operation, void *argument) {
  return REAL(file)->xFileControl(real_file(file), operation, argument);
}
static int log_sector_size(sqlite3_file *file) { return REAL(file)->xSectorSize(real_file(file)); }
static int log_characteristics(sqlite3_file *file) {
  return REAL(file)->xDeviceCharacteristics(real_file(file));
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

int reunion_log_file_bytes(void) { return (int)sizeof(LogFile); }

int reunion_log_file_open(
    sqlite3_vfs *real, sqlite3_filename name, sqlite3_file *base, int flags, int *out_flags) {
  LogFile *file = log_file(base);
  memset(file, 0, sizeof *file);
  file->real = (sqlite3_file *)(file + 1);
  file->next = -1;
  int status = real->xOpen(real, name, file->real, flags, out_flags);
  if (file->real->pMethods != 0) file->base.pMethods = &log_methods;
  return status;
}
