#include <sqlite3.h>

/* Binds bytes that SQLite copies: SQLITE_TRANSIENT is a macro that Swift cannot read. */
static inline int changelog_bind_text(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_text(statement, index, count == 0 ? "" : (const char *)bytes, count, SQLITE_TRANSIENT);
}
