#pragma once
#include <sqlite3.h>
#include <stdint.h>

/* The peer of the write rows: the same records in SQLite and nothing else, in C.
 * A record has an id of sixteen bytes and ten fields, texts of sixteen characters and numbers in turn.
 * Whatever fails ends the program. */

typedef struct raw_store raw_store;

/* Opens a new database with write-ahead logging, and synchronous FULL or NORMAL. */
raw_store *raw_open(const char *path, int is_full);
void raw_close(raw_store *store);

/* Inserts records without values, numbered from 0, in one transaction. */
void raw_make_records(raw_store *store, int records);

/* Sets fields in the order of `workload_set`, `batch` of them in a transaction. */
void raw_set(raw_store *store, int records, int first, int count, int generation, int batch);

/* Writes the log into the file, and returns its bytes. */
int64_t raw_file_bytes(raw_store *store);

/* The value of a field of workload M: a number, and for even fields that as sixteen characters. */
uint32_t workload_number(int record, int field, int generation);
void workload_text(uint32_t number, char text[17]);

/* The id of a record: a time-ordered one, as a store makes them. */
void workload_id(int record, uint64_t *high, uint64_t *low);
