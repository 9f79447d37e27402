/*
 * A VFS over another one that keeps a checksum in the last eight bytes of every page of a main
 * database file. SQLite itself has none there: a flipped bit in a value would be served as the
 * value. Frames of the write-ahead log carry SQLite's own checksums. Files whose header does not
 * reserve exactly eight bytes are left alone.
 *
 * The header says whether there is room, and SQLite writes that of a new file last where the file is
 * larger than its memory for pages: pages that came before it get their checksums with it.
 *
 * A page that does not match its checksum is not read: SQLITE_IOERR_DATA.
 * There is no memory mapping (io methods version 2): every page passes through here.
 */
#include "LogFile.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKSUM_BYTES = 8, HEADER_BYTES = 21, PAGE_BYTES_MAX = 65536 };

typedef struct {
  sqlite3_file base;
  sqlite3_file *real;     /* the other VFS's file, in the memory after this structure */
  int page_bytes;         /* 0 until a header was seen that reserves room for checksums */
  unsigned char *scratch; /* a page on its way to the disk */
  sqlite3_int64 early_end; /* where what was written before a header was seen ends; 0: nothing was */
  int trusts_pages;       /* whether pages are read whatever their checksums say */
  int keeps_locks;        /* whether this connection alone writes: see REUNION_KEEP_LOCKS */
  unsigned held;          /* the locks of WRITER_LOCKS that it holds, as bits */
  unsigned used;          /* those of them that SQLite has taken and not given back */
} ChecksumFile;

static sqlite3_vfs *real_vfs(sqlite3_vfs *vfs) { return (sqlite3_vfs *)vfs->pAppData; }
static sqlite3_file *real_file(sqlite3_file *file) { return ((ChecksumFile *)file)->real; }
#define REAL(file) real_file(file)->pMethods

/* Four lanes of multiply and rotate over 64-bit words, after xxHash64; the page's number counts. */

static const uint64_t PRIME1 = 0x9E3779B185EBCA87u;
static const uint64_t PRIME2 = 0xC2B2AE3D27D4EB4Fu;
static const uint64_t PRIME3 = 0x165667B19E3779F9u;

static uint64_t rotate(uint64_t word, int bits) { return word << bits | word >> (64 - bits); }

static uint64_t load(const unsigned char *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

static uint64_t stir(uint64_t lane, uint64_t word) {
  return rotate(lane + word * PRIME2, 31) * PRIME1;
}

static uint64_t checksum(const unsigned char *page, int page_bytes, uint64_t number) {
  const unsigned char *end = page + page_bytes - CHECKSUM_BYTES;
  uint64_t lanes[4] = {number + PRIME1 + PRIME2, number + PRIME2, number, number - PRIME1};
  while (end - page >= 32) {
    for (int lane = 0; lane < 4; lane++) lanes[lane] = stir(lanes[lane], load(page + 8 * lane));
    page += 32;
  }
  uint64_t sum = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) +
                 rotate(lanes[3], 18);
  for (int lane = 0; lane < 4; lane++) sum = (sum ^ stir(0, lanes[lane])) * PRIME1 + PRIME3;
  for (; end - page >= 8; page += 8) sum = rotate(sum ^ stir(0, load(page)), 27) * PRIME1 + PRIME3;
  sum = (sum ^ sum >> 33) * PRIME2;
  sum = (sum ^ sum >> 29) * PRIME3;
  return sum ^ sum >> 32;
}

static void store(unsigned char *bytes, uint64_t word) {
  for (int shift = 0; shift < 64; shift += 8) *bytes++ = (unsigned char)(word >> shift);
}

static uint64_t stored(const unsigned char *bytes) {
  uint64_t word = 0;
  for (int index = 7; index >= 0; index--) word = word << 8 | bytes[index];
  return word;
}

static int make_scratch(ChecksumFile *file) {
  if (file->scratch == 0) file->scratch = sqlite3_malloc(PAGE_BYTES_MAX);
  return file->scratch == 0 ? SQLITE_IOERR_NOMEM : SQLITE_OK;
}

/* Takes the page size from a database header, and whether it leaves room for checksums. */
static void learn(ChecksumFile *file, const unsigned char *header) {
  if (memcmp(header, "SQLite format 3", 16) != 0) return;
  int page_bytes = header[16] << 8 | header[17];
  if (page_bytes == 1) page_bytes = PAGE_BYTES_MAX;
  int is_power = page_bytes >= 512 && (page_bytes & (page_bytes - 1)) == 0;
  file->page_bytes = is_power && header[20] == CHECKSUM_BYTES ? page_bytes : 0;
}

static int is_page(const ChecksumFile *file, int amount, sqlite3_int64 offset) {
  return file->page_bytes != 0 && amount == file->page_bytes && offset % file->page_bytes == 0;
}

/* Writes a page with its checksum; it may stand in the scratch. */
static int write_page(
    ChecksumFile *file, const void *page, int amount, sqlite3_int64 offset) {
  if (page != file->scratch) memcpy(file->scratch, page, (size_t)amount);
  uint64_t sum = checksum(file->scratch, amount, (uint64_t)(offset / amount) + 1);
  store(file->scratch + amount - CHECKSUM_BYTES, sum);
  return file->real->pMethods->xWrite(file->real, file->scratch, amount, offset);
}

/* Gives the pages that were written before the header their checksums. */
static int sum_early_pages(ChecksumFile *file) {
  sqlite3_int64 end = file->early_end;
  int amount = file->page_bytes;
  if (end == 0 || amount == 0) return SQLITE_OK;
  int status = make_scratch(file);
  for (sqlite3_int64 offset = amount; status == SQLITE_OK && offset < end; offset += amount) {
    status = file->real->pMethods->xRead(file->real, file->scratch, amount, offset);
    /* They were taken back. */
    if (status == SQLITE_IOERR_SHORT_READ) break;
    if (status == SQLITE_OK) status = write_page(file, file->scratch, amount, offset);
  }
  if (status != SQLITE_OK && status != SQLITE_IOERR_SHORT_READ) return status;
  file->early_end = 0;
  return SQLITE_OK;
}

/* Of a page that the file ends in, SQLite would take what is missing for zeros. Behind its end there is
 * none yet. */
static int judge_short_read(ChecksumFile *file, int amount, sqlite3_int64 offset) {
  if (file->trusts_pages || !is_page(file, amount, offset)) return SQLITE_IOERR_SHORT_READ;
  sqlite3_int64 size = 0;
  int status = file->real->pMethods->xFileSize(file->real, &size);
  if (status != SQLITE_OK) return status;
  if (size <= offset) return SQLITE_IOERR_SHORT_READ;
  sqlite3_log(SQLITE_IOERR_DATA, "the file ends within a page, at byte %lld", size);
  return SQLITE_IOERR_DATA;
}

static int file_read(sqlite3_file *base, void *buffer, int amount, sqlite3_int64 offset) {
  ChecksumFile *file = (ChecksumFile *)base;
  int status = file->real->pMethods->xRead(file->real, buffer, amount, offset);
  if (status == SQLITE_IOERR_SHORT_READ) return judge_short_read(file, amount, offset);
  if (status != SQLITE_OK) return status;
  const unsigned char *page = buffer;
  if (offset == 0 && amount >= HEADER_BYTES) learn(file, page);
  if (file->trusts_pages || !is_page(file, amount, offset)) return SQLITE_OK;
  uint64_t sum = checksum(page, amount, (uint64_t)(offset / amount) + 1);
  if (sum == stored(page + amount - CHECKSUM_BYTES)) return SQLITE_OK;
  sqlite3_log(SQLITE_IOERR_DATA, "a page does not match its checksum, at byte %lld", offset);
  return SQLITE_IOERR_DATA;
}

static int file_write(
    sqlite3_file *base, const void *buffer, int amount, sqlite3_int64 offset) {
  ChecksumFile *file = (ChecksumFile *)base;
  if (offset == 0 && amount >= HEADER_BYTES) {
    learn(file, buffer);
    int status = sum_early_pages(file);
    if (status != SQLITE_OK) return status;
  } else if (file->page_bytes == 0 && file->early_end < offset + amount) {
    file->early_end = offset + amount;
  }
  if (!is_page(file, amount, offset))
    return file->real->pMethods->xWrite(file->real, buffer, amount, offset);
  int status = make_scratch(file);
  return status != SQLITE_OK ? status : write_page(file, buffer, amount, offset);
}

static int file_close(sqlite3_file *base) {
  ChecksumFile *file = (ChecksumFile *)base;
  sqlite3_free(file->scratch);
  file->scratch = 0;
  return file->real->pMethods->xClose(file->real);
}

/*
 * The locks of who writes to the log and of who takes it into the database are the first two. A
 * connection that keeps them spares two calls of the system a transaction, and no other program
 * writes pages meanwhile, which would have no checksums of ours. SQLite takes the first one alone.
 */
enum { WRITER_LOCKS = 3, WRITER_LOCK_COUNT = 2 };

static int shm_lock(ChecksumFile *file, unsigned locks, int flags) {
  if (locks == 0) return SQLITE_OK;
  int first = __builtin_ctz(locks);
  int count = __builtin_popcount(locks);
  return file->real->pMethods->xShmLock(file->real, first, count, flags);
}

static int file_shm_lock(sqlite3_file *base, int offset, int count, int flags) {
  ChecksumFile *file = (ChecksumFile *)base;
  unsigned locks = ((1u << count) - 1) << offset;
  unsigned writer = locks & WRITER_LOCKS;
  if (flags & SQLITE_SHM_UNLOCK) {
    file->used &= ~writer;
    if (file->keeps_locks) return shm_lock(file, locks & ~WRITER_LOCKS, flags);
    file->held &= ~writer;
    return shm_lock(file, locks, flags);
  }
  int status = shm_lock(file, locks & ~file->held, flags);
  if (status != SQLITE_OK) return status;
  file->used |= writer;
  file->held |= writer;
  return SQLITE_OK;
}

/* Takes each lock that it keeps and nobody else has. SQLite takes the others with its next use. */
static int keep_locks(ChecksumFile *file) {
  for (int index = 0; index < WRITER_LOCK_COUNT; index++) {
    unsigned lock = 1u << index;
    if (file->held & lock) continue;
    int status = shm_lock(file, lock, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE);
    if (status == SQLITE_OK) file->held |= lock;
    else if ((status & 0xff) != SQLITE_BUSY) return status;
  }
  return SQLITE_OK;
}

static int release_locks(ChecksumFile *file, unsigned locks) {
  unsigned released = file->held & locks;
  file->held &= ~released;
  for (int index = 0; index < WRITER_LOCK_COUNT; index++) {
    int status = shm_lock(
        file, released & 1u << index, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
    if (status != SQLITE_OK) return status;
  }
  return SQLITE_OK;
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
  ChecksumFile *file = (ChecksumFile *)base;
  switch (operation) {
  case REUNION_KEEP_LOCKS:
    file->keeps_locks = *(int *)argument;
    return file->keeps_locks ? keep_locks(file) : release_locks(file, ~file->used);
  case REUNION_TRUST_PAGES:
    file->trusts_pages = *(int *)argument;
    return SQLITE_OK;
  default:
    return REAL(base)->xFileControl(file->real, operation, argument);
  }
}

/* Everything else is the other VFS's business. */

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  return REAL(file)->xTruncate(real_file(file), size);
}
static int file_sync(sqlite3_file *file, int flags) {
  return REAL(file)->xSync(real_file(file), flags);
}
static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return REAL(file)->xFileSize(real_file(file), size);
}
static int file_lock(sqlite3_file *file, int level) {
  return REAL(file)->xLock(real_file(file), level);
}
static int file_unlock(sqlite3_file *file, int level) {
  return REAL(file)->xUnlock(real_file(file), level);
}
static int file_check_lock(sqlite3_file *file, int *result) {
  return REAL(file)->xCheckReservedLock(real_file(file), result);
}
static int file_sector_size(sqlite3_file *file) {
  return REAL(file)->xSectorSize(real_file(file));
}
static int file_characteristics(sqlite3_file *file) {
  return REAL(file)->xDeviceCharacteristics(real_file(file));
}
static int file_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out) {
  return REAL(file)->xShmMap(real_file(file), page, size, extend, out);
}
static void file_shm_barrier(sqlite3_file *file) { REAL(file)->xShmBarrier(real_file(file)); }
static int file_shm_unmap(sqlite3_file *file, int should_delete) {
  ChecksumFile *own = (ChecksumFile *)file;
  /* Closing gives back what is left of them. */
  (void)release_locks(own, WRITER_LOCKS);
  return REAL(file)->xShmUnmap(real_file(file), should_delete);
}

static const sqlite3_io_methods checksum_methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

/* The file below that of a connection, which reads without a look at checksums. */
static sqlite3_file *main_file(sqlite3 *database) {
  sqlite3_file *file = 0;
  int status = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (status != SQLITE_OK || file == 0) return 0;
  return file->pMethods == &checksum_methods ? real_file(file) : file;
}

int reunion_file_size(sqlite3 *database, sqlite3_int64 *size) {
  sqlite3_file *file = main_file(database);
  if (file == 0 || file->pMethods == 0) return SQLITE_MISUSE;
  return file->pMethods->xFileSize(file, size);
}

int reunion_file_read(sqlite3 *database, void *buffer, int amount, sqlite3_int64 offset) {
  sqlite3_file *file = main_file(database);
  if (file == 0 || file->pMethods == 0) return SQLITE_MISUSE;
  return file->pMethods->xRead(file, buffer, amount, offset);
}

static int vfs_open(
    sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *base, int flags, int *out_flags) {
  sqlite3_vfs *real = real_vfs(vfs);
  if (flags & SQLITE_OPEN_WAL) return reunion_log_file_open(real, name, base, flags, out_flags);
  if (!(flags & SQLITE_OPEN_MAIN_DB)) return real->xOpen(real, name, base, flags, out_flags);
  ChecksumFile *file = (ChecksumFile *)base;
  memset(file, 0, sizeof *file);
  file->real = (sqlite3_file *)(file + 1);
  int status = real->xOpen(real, name, file->real, flags, out_flags);
  if (file->real->pMethods != 0) file->base.pMethods = &checksum_methods;
  return status;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync_folder) {
  return real_vfs(vfs)->xDelete(real_vfs(vfs), name, sync_folder);
}
static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  return real_vfs(vfs)->xAccess(real_vfs(vfs), name, flags, result);
}
static int vfs_full_pathname(sqlite3_vfs *vfs, const char *name, int size, char *out) {
  return real_vfs(vfs)->xFullPathname(real_vfs(vfs), name, size, out);
}
static int vfs_last_error(sqlite3_vfs *vfs, int size, char *out) {
  return real_vfs(vfs)->xGetLastError(real_vfs(vfs), size, out);
}

/* Registration; once for each VFS below. */

static pthread_mutex_t registration = PTHREAD_MUTEX_INITIALIZER;

static int make(sqlite3_vfs *real, const char *name) {
  size_t length = strlen(name) + 1;
  sqlite3_vfs *vfs = malloc(sizeof *vfs + length);
  if (vfs == 0) return SQLITE_NOMEM;
  *vfs = *real;
  vfs->pNext = 0;
  vfs->zName = memcpy(vfs + 1, name, length);
  int own_bytes = (int)sizeof(ChecksumFile);
  if (own_bytes < reunion_log_file_bytes()) own_bytes = reunion_log_file_bytes();
  vfs->szOsFile = own_bytes + real->szOsFile;
  vfs->pAppData = real;
  vfs->xOpen = vfs_open;
  vfs->xDelete = vfs_delete;
  vfs->xAccess = vfs_access;
  vfs->xFullPathname = vfs_full_pathname;
  vfs->xGetLastError = vfs_last_error;
  int status = sqlite3_vfs_register(vfs, 0);
  if (status != SQLITE_OK) free(vfs);
  return status;
}

int reunion_checksum_vfs_register(const char *base, const char *name) {
  int status = sqlite3_initialize();
  if (status != SQLITE_OK) return status;
  if (pthread_mutex_lock(&registration) != 0) return SQLITE_ERROR;
  if (sqlite3_vfs_find(name) == 0) {
    sqlite3_vfs *real = sqlite3_vfs_find(base);
    status = real == 0 ? SQLITE_ERROR : make(real, name);
  }
  if (pthread_mutex_unlock(&registration) != 0) return SQLITE_ERROR;
  return status;
}

void reunion_checksum_vfs_unregister(const char *name) {
  sqlite3_vfs *vfs = sqlite3_vfs_find(name);
  if (vfs != 0 && sqlite3_vfs_unregister(vfs) == SQLITE_OK) free(vfs);
}
