import FoundationEssentials
import ReunionCore
import ReunionStore

/// A cell as a line of an archive has it: a name where one is known, the value in the form of its
/// kind, exact to the bit.
struct ArchivedCell: Decodable {
  private let field: UInt32
  private let merge: ArchivedMerge?
  private let site: String
  private let seq: UInt64
  private let stamp: String
  private let replaced: String?
  // One of these; none is no value.
  private let bool: Bool?
  private let int: Int64?
  private let double: String?
  private let text: String?
  private let bytes: String?
  private let date: String?
  private let uuid: String?
  private let reference: String?
  private let blob: String?
  private let byteCount: UInt64?
  private let kind: UInt8?

  /// The members of a cell, in the order in which a person reads them.
  static func members(_ cell: Cell, name: String?) -> [(String, JSONText)] {
    var members: [(String, JSONText)] = [("field", .number(cell.field))]
    if let name { members.append(("name", .text(name))) }
    members += value(cell.value)
    if cell.merge != .register { members.append(("merge", ArchivedMerge(cell.merge).json)) }
    members += [
      ("site", .text(cell.dot.site.description)), ("seq", .number(cell.dot.seq)),
      ("stamp", .text(ArchiveMoment.text(cell.stamp))),
    ]
    if cell.replaced != .none {
      members.append(("replaced", .text(ArchiveMoment.text(cell.replaced))))
    }
    return members
  }

  /// The cell; nil where it is none that a replica writes.
  var cell: Cell? {
    guard let site = Site(site), let stamp = ArchiveMoment.stamp(stamp), let value else {
      return nil
    }
    var before = Stamp.none
    if let replaced {
      guard let stamp = ArchiveMoment.stamp(replaced) else { return nil }
      before = stamp
    }
    let cell = Cell(
      field: field, merge: merge?.kind ?? .register, dot: Dot(site: site, seq: seq), stamp: stamp,
      replaced: before, value: value)
    do throws(WireError) { try cell.validate() } catch { return nil }
    return cell
  }

  // Values

  /// What is not as its kind has it, as bytes that are no UTF-8 in a text, is written as bytes.
  private static func value(_ value: Value) -> [(String, JSONText)] {
    if value == .null { return [] }
    if let bool = value.bool, value == .bool(bool) { return [("bool", .bool(bool))] }
    if let double = value.double { return [("double", .text(text(double)))] }
    if let int = value.int {
      if value.kind == .int { return [("int", .number(int))] }
      if value.kind == .date {
        return [("date", .text(ArchiveMoment.text(milliseconds: int) ?? String(int)))]
      }
    }
    if value.kind == .text, let text = value.text, Array(text.utf8) == value.bytes {
      return [("text", .text(text))]
    }
    if let id = value.reference { return [("reference", .text(id.description))] }
    if let blob = value.blob, value == .blob(blob) {
      return [
        ("blob", .text(blob.hash.description)), ("byteCount", .number(blob.byteCount)),
      ]
    }
    let digits = JSONText.text(Hexadecimal.text(value.bytes))
    if value.kind == .bytes { return [("bytes", digits)] }
    if value.kind == .uuid, value.bytes.count == 16 { return [("uuid", digits)] }
    return [("kind", .number(value.kind.rawValue)), ("bytes", digits)]
  }

  private var value: Value? {
    if let kind {
      return Hexadecimal.bytes(bytes ?? "").map {
        Value(kind: ValueKind(rawValue: kind), bytes: $0)
      }
    }
    if let bool { return .bool(bool) }
    if let int { return .int(int) }
    if let double { return Self.double(double).map(Value.double) }
    if let text { return .text(text) }
    if let bytes { return Hexadecimal.bytes(bytes).map(Value.bytes) }
    if let date {
      return (ArchiveMoment.milliseconds(date) ?? Int64(date)).map(Value.date(milliseconds:))
    }
    if let uuid { return Hexadecimal.bytes(uuid).map { Value(kind: .uuid, bytes: $0) } }
    if let reference { return RecordID(reference).map(Value.reference) }
    if let blob {
      guard let hash = BlobHash(blob), let byteCount else { return nil }
      return .blob(BlobReference(hash: hash, byteCount: byteCount))
    }
    return .null
  }

  /// The shortest digits that give the number back; of a NaN its bits.
  private static func text(_ double: Double) -> String {
    double.isNaN ? "nan \(String(double.bitPattern, radix: 16))" : "\(double)"
  }

  private static func double(_ text: String) -> Double? {
    guard text.hasPrefix("nan ") else { return Double(text) }
    let number = UInt64(text.dropFirst(4), radix: 16).map(Double.init(bitPattern:))
    return number.flatMap { $0.isNaN ? $0 : nil }
  }
}

/// How a cell merges, by its name if it has one.
struct ArchivedMerge: Decodable {
  let kind: MergeKind

  private static let names: [(MergeKind, String)] = [
    (.creation, "creation"), (.deletion, "deletion"), (.register, "register"),
    (.annotation, "annotation"), (.tally, "tally"), (.member, "member"),
    (.memberRemoval, "memberRemoval"), (.item, "item"), (.place, "place"),
    (.itemRemoval, "itemRemoval"),
  ]

  init(_ kind: MergeKind) { self.kind = kind }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(UInt8.self) {
      kind = MergeKind(rawValue: number)
      return
    }
    let name = try container.decode(String.self)
    guard let named = Self.names.first(where: { $0.1 == name }) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "merge \(name)")
    }
    kind = named.0
  }

  var json: JSONText {
    Self.names.first { $0.0 == kind }.map { .text($0.1) } ?? .number(kind.rawValue)
  }
}

/// A record as a line of an archive has it.
struct ArchivedRecord: Decodable {
  private let id: String
  private let cells: [ArchivedCell]

  /// The record; nil where a cell is none that a replica writes, or they are not in their order.
  func record(of entity: UInt32) -> StoredRecord? {
    guard let id = RecordID(id), !cells.isEmpty else { return nil }
    var read: [Cell] = []
    for archived in cells {
      guard let cell = archived.cell else { return nil }
      if let last = read.last, last.field == cell.field,
        last.merge.isRegister && cell.merge.isRegister
          || last.merge == .creation && cell.merge == .creation
      {
        return nil
      }
      read.append(cell)
    }
    let state = RecordState(read)
    guard state.cells == read else { return nil }
    return StoredRecord(key: RecordKey(entity: entity, id: id), state: state, arrival: 0)
  }
}

/// The record that a cell belongs to.
struct ArchivedPlace: Decodable {
  private let entity: UInt32
  private let id: String

  var key: RecordKey? {
    guard (1...Cell.fieldMax).contains(entity) else { return nil }
    return RecordID(id).map { RecordKey(entity: entity, id: $0) }
  }
}

/// An entry of a version vector.
struct ArchivedDot: Decodable {
  private let site: String
  private let seq: UInt64

  var dot: Dot? { seq > 0 ? Site(site).map { Dot(site: $0, seq: seq) } : nil }
}
