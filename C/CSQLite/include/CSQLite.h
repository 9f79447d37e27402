#ifndef REUNION_CSQLITE_H
#define REUNION_CSQLITE_H
#include <sqlite3.h>

/* The name of the VFS that keeps a checksum on every page of a database file. */
#define REUNION_CHECKSUM_VFS "reunion-checksum"

/* Registers that VFS over another one, 0 for the default, under a name; where the name is taken
 * already it does nothing. SQLITE_OK or the reason why not. */
int reunion_checksum_vfs_register(const char *base, const char *name);

/* Forgets such a VFS, which no connection may use any more. */
void reunion_checksum_vfs_unregister(const char *name);

/* For sqlite3_file_control, with a pointer to an int: whether the connection keeps the locks of who
 * writes and of who takes the log into the database between its transactions. On, it takes
 * each of the two if nobody has it; off, it gives back what no transaction needs. Only on a
 * connection that has read of a database with a log. */
#define REUNION_KEEP_LOCKS 0x5265756e

/* For sqlite3_file_control, with a pointer to an int: whether pages are read whatever their
 * checksums say. What is written carries them as ever. */
#define REUNION_TRUST_PAGES 0x5265756f

/* The size and the bytes of a connection's database file as they lie there, read by the descriptor
 * that SQLite has: closing another one would end its locks. */
int reunion_file_size(sqlite3 *database, sqlite3_int64 *size);
int reunion_file_read(sqlite3 *database, void *buffer, int amount, sqlite3_int64 offset);

/* Reserves eight bytes on every page of a database that has no page yet. */
int reunion_reserve_checksums(sqlite3 *database);

/* For tests: has allocations of SQLite fail on purpose. To be installed before SQLite is used. */
int reunion_allocation_faults_install(void);

/* Has one allocation of SQLite fail on this thread, by its number from 1 on; none for 0. */
void reunion_fail_allocation(long number);

/* How many have failed on this thread since then. */
int reunion_allocation_failures(void);

/* Sets a flag of sqlite3_db_config, which takes variable arguments and so is no Swift function. */
int reunion_set_flag(sqlite3 *database, int flag, int value);

/* Bind bytes that SQLite copies. No bytes are an empty value, not NULL. */
int reunion_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count);
int reunion_bind_text(sqlite3_stmt *statement, int index, const void *bytes, int count);

/* The result of a function, which SQLite copies. */
void reunion_result_blob(sqlite3_context *context, const void *bytes, int count);
void reunion_result_text(sqlite3_context *context, const void *bytes, int count);
/* SQLITE_TRANSIENT, a macro that Swift cannot read. */
extern const sqlite3_destructor_type reunion_transient;
#endif
