import ReunionCore

@testable import ReunionStore

/// A film as the first version of an app knows it.
struct OldFilm: Entity, Equatable {
  let id: RecordID
  var title = ""
  var minutes = 0
  var director = ""
  var place = ""
  var country = ""
  var score = 0
  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<OldFilm>(
    9, "film",
    [
      .field(1, "title", \.title), .field(2, "minutes", \.minutes),
      .field(3, "director", \.director), .field(4, "place", \.place),
      .field(5, "country", \.country), .field(6, "score", \.score),
    ])
}

/// A film as the second version knows it: each kind of lens, and a score that became a `Double`.
struct Film: Entity, Equatable {
  let id: RecordID
  var title = ""
  var seconds = 0
  var first = ""
  var last = ""
  var origin = ""
  var score = 0.0
  var slug = ""
  init(id: RecordID) { self.id = id }

  static let schema = made(by: .times(60))

  static func made(by conversion: Conversion) -> EntitySchema<Film> {
    EntitySchema<Film>(
      9, "film",
      [
        .field(1, "title", \.title), .field(11, "seconds", \.seconds),
        .field(12, "first", \.first), .field(13, "last", \.last),
        .field(14, "origin", \.origin, .searchable), .field(6, "score", \.score),
        .field(15, "slug", \.slug),
      ],
      lenses: [
        .retype(OldField(2, Int.self), to: \.seconds, by: conversion),
        .split(OldField(3, String.self), to: \.first, \.last, by: .separator(" ")),
        .merge(
          OldField(4, String.self, initial: ""), OldField(5, String.self, initial: ""),
          to: \.origin, by: .separator(", ")),
        .fill(\.slug, from: OldField(1, String.self, initial: ""), by: .slug),
      ])
  }
}

extension Conversion {
  static let slug = Conversion.custom(
    "slug, 1",
    forward: { (title: String) -> String? in
      title.lowercased().split(separator: " ").joined(separator: "-")
    })
}

/// A film as the third version knows it: a length in words of what the second one made.
struct NewFilm: Entity, Equatable {
  let id: RecordID
  var title = ""
  var length = ""
  var first = ""
  var last = ""
  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<NewFilm>(
    9, "film",
    [
      .field(1, "title", \.title), .field(21, "length", \.length), .field(12, "first", \.first),
      .field(13, "last", \.last),
    ],
    lenses: [
      .retype(OldField(11, Int.self), to: \.length, by: .text),
      .earlier(OldField(2, Int.self), to: OldField(11, Int.self), by: .times(60)),
      .split(OldField(3, String.self), to: \.first, \.last, by: .separator(" ")),
    ])
}

/// A film whose title begins with words, so that what is made of it says so.
struct Labelled: Entity {
  let id: RecordID
  var title = "No title"
  var slug = ""
  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Labelled>(
    9, "film", [.field(1, "title", \.title), .field(15, "slug", \.slug)],
    lenses: [.fill(\.slug, from: OldField(1, String.self, initial: "No title"), by: .slug)])
}
