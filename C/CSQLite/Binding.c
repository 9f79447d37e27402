#include "CSQLite.h"

int reunion_set_flag(sqlite3 *database, int flag, int value) {
  return sqlite3_db_config(database, flag, value, (int *)0);
}

int reunion_reserve_checksums(sqlite3 *database) {
  int reserve = 8;
  return sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserve);
}

int reunion_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

int reunion_bind_text(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_text(
      statement, index, count == 0 ? "" : (const char *)bytes, count, SQLITE_TRANSIENT);
}

void reunion_result_blob(sqlite3_context *context, const void *bytes, int count) {
  if (count == 0) {
    sqlite3_result_zeroblob(context, 0);
  } else {
    sqlite3_result_blob(context, bytes, count, SQLITE_TRANSIENT);
  }
}

void reunion_result_text(sqlite3_context *context, const void *bytes, int count) {
  sqlite3_result_text(
      context, count == 0 ? "" : (const char *)bytes, count, SQLITE_TRANSIENT);
}
const sqlite3_destructor_type reunion_transient = SQLITE_TRANSIENT;
