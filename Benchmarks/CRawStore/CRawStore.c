#include "CRawStore.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 10, ID_BYTES = 16 };

struct raw_store {
  sqlite3 *database;
  sqlite3_stmt *begin, *commit, *set[FIELDS];
};

static void require(raw_store *store, int is_good) {
  if (is_good) return;
  fprintf(stderr, "raw SQLite: %s\n", sqlite3_errmsg(store->database));
  exit(1);
}

static void execute(raw_store *store, const char *sql) {
  require(store, sqlite3_exec(store->database, sql, 0, 0, 0) == SQLITE_OK);
}

static sqlite3_stmt *prepare(raw_store *store, const char *sql) {
  sqlite3_stmt *statement = 0;
  int status =
      sqlite3_prepare_v3(store->database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, 0);
  require(store, status == SQLITE_OK);
  return statement;
}

static void run(raw_store *store, sqlite3_stmt *statement) {
  require(store, sqlite3_step(statement) == SQLITE_DONE);
  sqlite3_reset(statement);
}

uint32_t workload_number(int record, int field, int generation) {
  return (uint32_t)record * 2654435761u + (uint32_t)field * 40503u + (uint32_t)generation * 97u;
}

void workload_text(uint32_t number, char text[17]) {
  static const char digits[] = "0123456789abcdef";
  uint32_t second = (number ^ 0x5bd1e995u) & 0xFFFFFFFu;
  text[0] = 'v';
  for (int i = 0; i < 8; i++) text[1 + i] = digits[number >> (28 - 4 * i) & 15];
  for (int i = 0; i < 7; i++) text[9 + i] = digits[second >> (24 - 4 * i) & 15];
  text[16] = 0;
}

void workload_id(int record, uint64_t *high, uint64_t *low) {
  *high = (1760000000000ull + (uint64_t)record) << 16 | (uint64_t)(record * 40503 & 0xFFFF);
  *low = (uint64_t)record * 0x9E3779B97F4A7C15ull;
}

static void bind_id(raw_store *store, sqlite3_stmt *statement, int position, int record) {
  uint64_t halves[2];
  unsigned char bytes[ID_BYTES];
  workload_id(record, &halves[0], &halves[1]);
  for (int i = 0; i < ID_BYTES; i++) bytes[i] = (unsigned char)(halves[i / 8] >> (56 - i % 8 * 8));
  int status = sqlite3_bind_blob(statement, position, bytes, ID_BYTES, SQLITE_TRANSIENT);
  require(store, status == SQLITE_OK);
}

raw_store *raw_open(const char *path, int is_full) {
  raw_store *store = calloc(1, sizeof *store);
  if (store == 0) exit(1);
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  require(store, sqlite3_open_v2(path, &store->database, flags, 0) == SQLITE_OK);
  execute(store, "PRAGMA journal_mode = WAL");
  execute(store, is_full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  execute(store,
      "CREATE TABLE IF NOT EXISTS record(id BLOB PRIMARY KEY, f0, f1, f2, f3, f4, f5, f6, f7, f8,"
      " f9) WITHOUT ROWID");
  store->begin = prepare(store, "BEGIN IMMEDIATE");
  store->commit = prepare(store, "COMMIT");
  for (int field = 0; field < FIELDS; field++) {
    char sql[64];
    snprintf(sql, sizeof sql, "UPDATE record SET f%d = ?2 WHERE id = ?1", field);
    store->set[field] = prepare(store, sql);
  }
  return store;
}

void raw_close(raw_store *store) {
  sqlite3_finalize(store->begin);
  sqlite3_finalize(store->commit);
  for (int field = 0; field < FIELDS; field++) sqlite3_finalize(store->set[field]);
  sqlite3_close(store->database);
  free(store);
}

void raw_make_records(raw_store *store, int records) {
  sqlite3_stmt *insert = prepare(store, "INSERT INTO record(id) VALUES(?1)");
  run(store, store->begin);
  for (int record = 0; record < records; record++) {
    bind_id(store, insert, 1, record);
    run(store, insert);
  }
  run(store, store->commit);
  sqlite3_finalize(insert);
}

void raw_set(raw_store *store, int records, int first, int count, int generation, int batch) {
  for (int index = first; index < first + count; index++) {
    int field = index / records, record = index % records;
    if ((index - first) % batch == 0) run(store, store->begin);
    sqlite3_stmt *set = store->set[field];
    bind_id(store, set, 1, record);
    uint32_t number = workload_number(record, field, generation);
    if (field % 2 == 0) {
      char text[17];
      workload_text(number, text);
      require(store, sqlite3_bind_text(set, 2, text, 16, SQLITE_TRANSIENT) == SQLITE_OK);
    } else {
      require(store, sqlite3_bind_int64(set, 2, number) == SQLITE_OK);
    }
    run(store, set);
    if ((index - first) % batch == batch - 1 || index == first + count - 1) {
      run(store, store->commit);
    }
  }
}

int64_t raw_file_bytes(raw_store *store) {
  execute(store, "PRAGMA wal_checkpoint(TRUNCATE)");
  sqlite3_stmt *size = prepare(store, "SELECT page_count * page_size FROM pragma_page_count,"
                                      " pragma_page_size");
  require(store, sqlite3_step(size) == SQLITE_ROW);
  int64_t bytes = sqlite3_column_int64(size, 0);
  sqlite3_finalize(size);
  return bytes;
}
