package import ReunionCore

extension ValueKind {
  /// Whether a field of this kind is made of many cells.
  var isGathered: Bool { self == .counter || self == .set || self == .list }
}

extension Value {
  /// The value of a set or a list, for its column.
  init(gathering elements: [Value], as kind: ValueKind) {
    var writer = ByteWriter()
    for element in elements {
      writer.byte(element.kind.rawValue)
      writer.lengthPrefixed(element.bytes)
    }
    self.init(kind: kind, bytes: writer.bytes)
  }

  /// The elements of a set or a list; nil where the bytes are none.
  package var elements: [Value]? {
    var reader = ByteReader(bytes)
    var elements: [Value] = []
    while reader.remaining > 0 {
      guard let kind = try? reader.byte(),
        let bytes = try? reader.lengthPrefixed(upTo: Value.bytesMax)
      else { return nil }
      elements.append(Value(kind: ValueKind(rawValue: kind), bytes: bytes))
    }
    return elements
  }
}

extension RecordState {
  /// The value of a field of many cells; nil if it has none.
  func gathered(_ field: UInt32, as kind: ValueKind) -> Value? {
    guard kind.isGathered, cells.contains(where: { $0.field == field }) else { return nil }
    return switch kind {
    case .counter: .counter(count(field))
    case .set: Value(gathering: members(field), as: .set)
    default: Value(gathering: items(field).map(\.value), as: .list)
    }
  }
}

extension FieldColumn {
  func gathered(from state: RecordState) -> Value? { state.gathered(field, as: kind) }
}
