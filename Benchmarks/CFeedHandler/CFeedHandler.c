#include "CFeedHandler.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdlib.h>
#include <string.h>

enum field { NONE, ID, TITLE, UPDATED, SUMMARY, POINT, ELEVATION };

struct feed_reader {
  xmlParserCtxtPtr parser;
  feed_entry_handler handler;
  void *context;
  feed_entry entry;
  size_t category_room;
  int is_in_entry;
  enum field field;
  char *text;
  size_t text_count, text_room;
};

static const char ATOM[] = "http://www.w3.org/2005/Atom";
static const char GEORSS[] = "http://www.georss.org/georss";

static feed_text copy(const char *bytes, size_t count) {
  feed_text text = {malloc(count + 1), count};
  if (!text.bytes) abort();
  memcpy(text.bytes, bytes, count);
  text.bytes[count] = 0;
  return text;
}

static feed_text attribute(const xmlChar **attributes, int count, const char *name) {
  for (int index = 0; index < count; index++) {
    const xmlChar **found = attributes + index * 5;
    if (!found[2] && !strcmp((const char *)found[0], name))
      return copy((const char *)found[3], found[4] - found[3]);
  }
  return copy("", 0);
}

static void start(
    void *context, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri, int namespaces,
    const xmlChar **declared, int count, int defaulted, const xmlChar **attributes) {
  (void)prefix, (void)namespaces, (void)declared, (void)defaulted;
  feed_reader *reader = context;
  const char *name = (const char *)local;
  if (!uri) return;
  if (!reader->is_in_entry) {
    if (!strcmp(name, "entry") && !strcmp((const char *)uri, ATOM)) reader->is_in_entry = 1;
    return;
  }
  reader->text_count = 0;
  if (!strcmp((const char *)uri, ATOM)) {
    if (!strcmp(name, "id")) reader->field = ID;
    else if (!strcmp(name, "title")) reader->field = TITLE;
    else if (!strcmp(name, "updated")) reader->field = UPDATED;
    else if (!strcmp(name, "summary")) reader->field = SUMMARY;
    else if (!strcmp(name, "link")) reader->entry.link = attribute(attributes, count, "href");
    else if (!strcmp(name, "category")) {
      if (reader->entry.category_count == reader->category_room) {
        reader->category_room = reader->category_room ? reader->category_room * 2 : 4;
        reader->entry.categories =
            realloc(reader->entry.categories, reader->category_room * sizeof(feed_text));
        if (!reader->entry.categories) abort();
      }
      reader->entry.categories[reader->entry.category_count++] =
          attribute(attributes, count, "term");
    }
  } else if (!strcmp((const char *)uri, GEORSS)) {
    if (!strcmp(name, "point")) reader->field = POINT;
    else if (!strcmp(name, "elev")) reader->field = ELEVATION;
  }
}

static void hand_out(feed_reader *reader) {
  feed_entry *entry = &reader->entry;
  reader->handler(reader->context, entry);
  free(entry->id.bytes), free(entry->title.bytes), free(entry->updated.bytes);
  free(entry->link.bytes), free(entry->summary.bytes);
  for (size_t index = 0; index < entry->category_count; index++)
    free(entry->categories[index].bytes);
  free(entry->categories);
  memset(entry, 0, sizeof *entry);
  reader->category_room = 0;
  reader->is_in_entry = 0;
}

static void end(void *context, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri) {
  (void)prefix, (void)uri;
  feed_reader *reader = context;
  if (!reader->is_in_entry) return;
  switch (reader->field) {
    case ID: reader->entry.id = copy(reader->text, reader->text_count); break;
    case TITLE: reader->entry.title = copy(reader->text, reader->text_count); break;
    case UPDATED: reader->entry.updated = copy(reader->text, reader->text_count); break;
    case SUMMARY: reader->entry.summary = copy(reader->text, reader->text_count); break;
    case POINT: {
      char *rest;
      reader->text[reader->text_count] = 0;
      reader->entry.latitude = strtod(reader->text, &rest);
      reader->entry.longitude = strtod(rest, NULL);
      break;
    }
    case ELEVATION:
      reader->text[reader->text_count] = 0;
      reader->entry.elevation = strtod(reader->text, NULL);
      break;
    case NONE:
      if (!strcmp((const char *)local, "entry")) hand_out(reader);
  }
  reader->field = NONE;
}

static void characters(void *context, const xmlChar *bytes, int count) {
  feed_reader *reader = context;
  if (reader->field == NONE) return;
  if (reader->text_count + count + 1 > reader->text_room) {
    reader->text_room = (reader->text_count + count + 1) * 2;
    reader->text = realloc(reader->text, reader->text_room);
    if (!reader->text) abort();
  }
  memcpy(reader->text + reader->text_count, bytes, count);
  reader->text_count += count;
}

feed_reader *feed_reader_new(feed_entry_handler handler, void *context) {
  feed_reader *reader = calloc(1, sizeof *reader);
  if (!reader) abort();
  reader->handler = handler;
  reader->context = context;
  reader->text = malloc(reader->text_room = 4096);
  xmlSAXHandler callbacks = {0};
  callbacks.initialized = XML_SAX2_MAGIC;
  callbacks.startElementNs = start;
  callbacks.endElementNs = end;
  callbacks.characters = characters;
  callbacks.ignorableWhitespace = characters;
  callbacks.cdataBlock = characters;
  reader->parser = xmlCreatePushParserCtxt(&callbacks, reader, NULL, 0, NULL);
  if (!reader->text || !reader->parser) abort();
  xmlCtxtUseOptions(reader->parser, XML_PARSE_NONET | XML_PARSE_NOENT);
  return reader;
}

int feed_reader_push(feed_reader *reader, const char *bytes, int count) {
  return xmlParseChunk(reader->parser, bytes, count, 0);
}

int feed_reader_finish(feed_reader *reader) { return xmlParseChunk(reader->parser, "", 0, 1); }

void feed_reader_free(feed_reader *reader) {
  xmlFreeParserCtxt(reader->parser);
  free(reader->text);
  free(reader);
}
