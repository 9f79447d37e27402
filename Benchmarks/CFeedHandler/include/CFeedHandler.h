#pragma once
#include <stddef.h>

/* The peer of the feed rows: the same handler over libxml2's SAX2 interface, in C. */

typedef struct {
  char *bytes;
  size_t count;
} feed_text;

typedef struct {
  feed_text id, title, updated, link, summary;
  double latitude, longitude, elevation;
  feed_text *categories;
  size_t category_count;
} feed_entry;

typedef void (*feed_entry_handler)(void *context, const feed_entry *entry);

typedef struct feed_reader feed_reader;

feed_reader *feed_reader_new(feed_entry_handler handler, void *context);
/* Returns 0 while the document is well-formed. */
int feed_reader_push(feed_reader *reader, const char *bytes, int count);
int feed_reader_finish(feed_reader *reader);
void feed_reader_free(feed_reader *reader);
