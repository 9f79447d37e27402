import ReunionCore

/// The form of a step in the local log: the records, each with its existence and its parts.
extension UndoStep {
  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.varint(UInt64(records.count))
    for record in records {
      writer.varint(UInt64(record.key.entity))
      writer.identifier(record.key.id)
      switch record.existence {
      case .lived: writer.byte(0)
      case .appeared(let seen):
        writer.byte(1)
        writer.vector(seen)
      case .vanished(let seen):
        writer.byte(2)
        writer.vector(seen)
      case .absent: writer.byte(3)
      }
      writer.varint(UInt64(record.parts.count))
      for part in record.parts { writer.part(part) }
    }
    return writer.bytes
  }

  /// Nil where the bytes are none that `encoded` makes.
  init?(name: String, decoding bytes: [UInt8]) {
    self.name = name
    var reader = ByteReader(bytes)
    do throws(WireError) {
      for _ in 0..<(try reader.varint(upTo: UInt64(reader.remaining))) {
        let entity = UInt32(try reader.varint(upTo: UInt64(UInt32.max)))
        var record = Record(
          key: RecordKey(entity: entity, id: try reader.identifier(RecordID.self)))
        switch try reader.byte() {
        case 0: break
        case 1: record.existence = .appeared(try reader.vector())
        case 2: record.existence = .vanished(try reader.vector())
        case 3: record.existence = .absent
        default: return nil
        }
        for _ in 0..<(try reader.varint(upTo: UInt64(reader.remaining))) {
          guard let part = try reader.part() else { return nil }
          record.parts.append(part)
        }
        records.append(record)
      }
    } catch {
      return nil
    }
  }
}

extension ByteWriter {
  fileprivate mutating func dot(_ dot: Dot) {
    identifier(dot.site)
    varint(dot.seq)
  }

  fileprivate mutating func optional(_ dot: Dot?) {
    byte(dot == nil ? 0 : 1)
    if let dot { self.dot(dot) }
  }

  fileprivate mutating func value(_ value: Value) {
    byte(value.kind.rawValue)
    lengthPrefixed(value.bytes)
  }

  fileprivate mutating func part(_ part: UndoStep.Part) {
    func begin(_ tag: UInt8, _ field: UInt32) {
      byte(tag)
      varint(UInt64(field))
    }
    switch part {
    case .register(let field, let old, let oldDot, let written):
      begin(0, field)
      value(old)
      optional(oldDot)
      dot(written)
    case .counted(let field, let amount):
      begin(1, field)
      integer(amount)
    case .added(let field, let element):
      begin(2, field)
      value(element)
    case .removed(let field, let element):
      begin(3, field)
      value(element)
    case .inserted(let field, let item):
      begin(4, field)
      dot(item)
    case .taken(let field, let item, let value, let position, let oldDot):
      begin(5, field)
      dot(item)
      self.value(value)
      lengthPrefixed(position?.bytes ?? [])
      optional(oldDot)
    case .moved(let field, let item, let from, let oldDot, let written):
      begin(6, field)
      dot(item)
      lengthPrefixed(from.bytes)
      dot(oldDot)
      dot(written)
    }
  }
}

extension ByteReader {
  fileprivate mutating func dot() throws(WireError) -> Dot {
    Dot(site: try identifier(Site.self), seq: try varint())
  }

  fileprivate mutating func optionalDot() throws(WireError) -> Dot? {
    try byte() == 0 ? nil : try dot()
  }

  fileprivate mutating func value() throws(WireError) -> Value {
    Value(kind: ValueKind(rawValue: try byte()), bytes: try lengthPrefixed(upTo: Value.bytesMax))
  }

  fileprivate mutating func position() throws(WireError) -> Position? {
    Position(bytes: try lengthPrefixed(upTo: Position.bytesMax))
  }

  fileprivate mutating func part() throws(WireError) -> UndoStep.Part? {
    let tag = try byte()
    let field = UInt32(try varint(upTo: UInt64(Cell.fieldMax)))
    switch tag {
    case 0:
      return .register(field, old: try value(), oldDot: try optionalDot(), written: try dot())
    case 1: return .counted(field, try integer(Int64.self))
    case 2: return .added(field, try value())
    case 3: return .removed(field, try value())
    case 4: return .inserted(field, item: try dot())
    case 5:
      return .taken(
        field, item: try dot(), try value(), try position(), oldDot: try optionalDot())
    case 6:
      let item = try dot()
      guard let from = try position() else { return nil }
      return .moved(field, item: item, from: from, oldDot: try dot(), written: try dot())
    default: return nil
    }
  }
}
