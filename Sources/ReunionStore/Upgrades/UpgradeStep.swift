public import ReunionCore

/// One thing that an upgrade does, as a value.
///
/// ```swift
/// for step in try Store.plan(folder: "album", model: model).steps {
///   if case .hideEntity(let subject, let records, _) = step, records > 0 {
///     print("The model leaves out", subject, "with its", records, "records.")
///   }
/// }
/// ```
/// Later versions may have more: leave a `default` in a switch.
public enum UpgradeStep: Hashable, Sendable {
  /// Changes the file's own tables, from one version of the file to another.
  case format(from: Int, to: Int)
  /// Makes the table of an entity.
  case addEntity(UpgradeSubject)
  /// Makes the column of a field.
  case addField(UpgradeSubject, kind: ValueKind)
  /// Gives records the columns of what the store kept of them before it knew the entity, or some of
  /// its fields. Nobody has to send them again.
  case takeIn(UpgradeSubject, records: Int)
  /// Shows the numbers of a field as those of another kind, such as ints as doubles; their cells
  /// stay.
  case widen(UpgradeSubject, to: ValueKind)
  /// Makes fields anew from others, as lenses say. A field whose lens is gone shows again what was
  /// written. What is made is no change: it is never sent.
  case compute(UpgradeSubject, fields: [String], records: Int)
  /// Gives an entity or a field another name in SQL.
  case rename(UpgradeSubject, from: String)
  /// Shows a field no longer in SQL; its column stays.
  case hide(UpgradeSubject)
  /// Shows an entity no longer in SQL; its living records stay, and the fields of others that refer
  /// to them.
  case hideEntity(UpgradeSubject, records: Int, references: Int)
  /// Shows a field or an entity again that was hidden.
  case show(UpgradeSubject)
  /// Changes the value that SQL shows if none was written.
  case begin(UpgradeSubject, with: Value)
  /// Makes the index of the words in some fields of an entity.
  case indexWords(UpgradeSubject, fields: [String])
  /// Removes the index of an entity's words.
  case dropWords(UpgradeSubject)
  /// Makes an index over fields of an entity, or makes it anew where a field begins otherwise.
  case index(UpgradeSubject, fields: [String])
  /// Removes an index over fields of an entity.
  case dropIndex(UpgradeSubject, fields: [String])
  /// Makes the views of SQL anew, which an earlier version wrote in other words.
  case renewViews

  /// Whether it writes to rows of records, or changes the file's own tables. What does not is
  /// guarded by its one transaction alone.
  var touchesRows: Bool {
    switch self {
    case .format, .takeIn, .compute: true
    case .addEntity, .addField, .widen, .rename, .hide, .hideEntity, .show, .begin, .indexWords,
      .dropWords, .index, .dropIndex, .renewViews:
      false
    }
  }

  /// What it is about; nil where that is the whole store.
  public var subject: UpgradeSubject? {
    switch self {
    case .addEntity(let subject), .addField(let subject, _), .takeIn(let subject, _),
      .widen(let subject, _), .compute(let subject, _, _),
      .rename(let subject, _), .hide(let subject), .hideEntity(let subject, _, _),
      .show(let subject), .begin(let subject, _), .indexWords(let subject, _),
      .dropWords(let subject), .index(let subject, _), .dropIndex(let subject, _):
      subject
    case .format, .renewViews: nil
    }
  }

  /// The kind of step in a word or two, for programs: it stays the same where the sentence changes.
  public var word: String {
    switch self {
    case .format: "format"
    case .addEntity: "add entity"
    case .addField: "add field"
    case .takeIn: "take in"
    case .widen: "widen"
    case .compute: "compute"
    case .rename: "rename"
    case .hide: "hide"
    case .hideEntity: "hide entity"
    case .show: "show"
    case .begin: "begin"
    case .indexWords: "index words"
    case .dropWords: "drop words"
    case .index: "index"
    case .dropIndex: "drop index"
    case .renewViews: "renew views"
    }
  }
}

/// The entity, or the field of one, that a step is about. Its `description` is the name, as in
/// `photo.caption`.
public struct UpgradeSubject: Hashable, Sendable {
  /// The entity's permanent number.
  public let entity: UInt32
  /// The entity's name; that of before where the model has none.
  let entityName: String
  /// The field's permanent number; nil where it is about the entity.
  public let field: UInt32?
  /// The field's name.
  let fieldName: String?

  init(_ entity: UInt32, _ entityName: String, field: UInt32? = nil, _ fieldName: String? = nil) {
    self.entity = entity
    self.entityName = entityName
    self.field = field
    self.fieldName = fieldName
  }

  init(_ entity: EntityDescription) { self.init(entity.number, entity.name) }

  init(_ entity: EntityDescription, _ field: FieldDescription) {
    self.init(entity.number, entity.name, field: field.number, field.name)
  }
}

extension UpgradeSubject: CustomStringConvertible {
  /// The name, as in `photo.caption`.
  public var description: String { fieldName.map { "\(entityName).\($0)" } ?? entityName }

  /// The permanent number, as in `3.1`.
  var number: String { field.map { "\(entity).\($0)" } ?? "\(entity)" }
}

extension UpgradeStep: CustomStringConvertible {
  /// A line for a person.
  public var description: String {
    switch self {
    case .format(let old, let new): "change the file from version \(old) to \(new)"
    case .addEntity(let subject): "add the entity \(subject) (\(subject.number))"
    case .addField(let subject, let kind):
      "add the field \(subject) (\(subject.number), \(kind.word))"
    case .takeIn(let subject, let records):
      "take in what was unknown of \(subject): \(records.grouped("record"))"
    case .widen(let subject, let kind):
      "show \(subject) (\(subject.number)) as \(kind.word)"
    case .compute(let subject, let fields, let records):
      "compute \(fields.joined(separator: ", ")) of \(subject): \(records.grouped("record"))"
    case .rename(let subject, let name): "rename \(name) to \(subject) (\(subject.number))"
    case .hide(let subject): "hide \(subject) (\(subject.number)); what it holds stays"
    case .hideEntity(let subject, let records, let references):
      "hide the entity \(subject) (\(subject.number)); \(records.grouped("record")) of it and"
        + " \(references.grouped("reference")) to them stay"
    case .show(let subject): "show \(subject) (\(subject.number)) again"
    case .begin(let subject, let value):
      "begin \(subject) (\(subject.number)) with \(value.sqlLiteral ?? "nothing")"
    case .indexWords(let subject, let fields):
      "index the words of \(subject): \(fields.joined(separator: ", "))"
    case .dropWords(let subject): "remove the index of the words of \(subject)"
    case .index(let subject, let fields):
      "index \(subject) by \(fields.joined(separator: ", "))"
    case .dropIndex(let subject, let fields):
      "remove the index of \(subject) by \(fields.joined(separator: ", "))"
    case .renewViews: "write the views of SQL anew"
    }
  }
}

extension Int {
  /// With its digits in groups of three, such as 4,212.
  var grouped: String {
    let digits = String(magnitude)
    let pieces = digits.enumerated().map { index, digit in
      let rest = digits.count - index
      return index > 0 && rest % 3 == 0 ? ",\(digit)" : "\(digit)"
    }
    return (self < 0 ? "-" : "") + pieces.joined()
  }

  /// So many of something: "1 record", "4,212 records".
  func grouped(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }
}

extension ValueKind {
  /// What a model's file calls it.
  fileprivate var word: String {
    let words: [ValueKind: String] = [
      .bool: "bool", .int: "int", .double: "double", .text: "text", .bytes: "bytes",
      .date: "date", .uuid: "uuid", .reference: "reference", .blob: "blob", .counter: "counter",
      .set: "set", .list: "list",
    ]
    return words[self] ?? "kind \(rawValue)"
  }
}
