#if !REGISTERS_ONLY
  // What the cells of sets and lists carry. Each form begins with the name of what it is about, so
  // that cells of one element are found by comparing bytes.

  extension Cell {
    /// The value of a set's removal of an element whose additions the author saw.
    package static func memberRemovalValue(of element: Value, seen: VersionVector) -> Value {
      var writer = ByteWriter()
      writer.bytes(memberName(element))
      writer.vector(seen)
      return .bytes(writer.bytes)
    }

    /// The value of an item's place.
    package static func placeValue(of item: Dot, at position: Position) -> Value {
      .bytes(itemName(item) + position.bytes)
    }

    /// The value of an item's removal.
    package static func itemRemovalValue(of item: Dot) -> Value { .bytes(itemName(item)) }

    /// For a set's removal: the element.
    package var removedMember: Value? {
      guard merge == .memberRemoval, let count = nameCount, seen != nil else { return nil }
      var reader = ByteReader(value.bytes)
      guard let kind = try? reader.byte(), let bytes = try? reader.lengthPrefixed(upTo: count)
      else {
        return nil
      }
      return Value(kind: ValueKind(rawValue: kind), bytes: bytes)
    }

    /// For an item's place and its removal: the item.
    package var namedItem: Dot? {
      guard merge == .place || merge == .itemRemoval, nameCount != nil else { return nil }
      var reader = ByteReader(value.bytes)
      guard let site = try? reader.identifier(Site.self), let seq = try? reader.varint(), seq > 0
      else {
        return nil
      }
      return Dot(site: site, seq: seq)
    }

    /// For an item's place: where it stands.
    package var position: Position? {
      guard merge == .place, let count = nameCount else { return nil }
      return Position(bytes: Array(value.bytes[count...]))
    }

    /// How many bytes name what a cell is about; nil where they are malformed.
    var nameCount: Int? {
      var reader = ByteReader(value.bytes)
      switch merge {
      case .memberRemoval:
        guard (try? reader.byte()) != nil,
          (try? reader.lengthPrefixed(upTo: Value.bytesMax)) != nil
        else { return nil }
      case .place, .itemRemoval:
        guard (try? reader.bytes(16)) != nil, (try? reader.varint()) != nil else { return nil }
      default: break
      }
      return value.bytes.count - reader.remaining
    }

    /// Whether two cells of one merge kind are about the same element or item.
    func hasName(of cell: Cell) -> Bool {
      guard let count = nameCount, cell.value.bytes.count >= count else { return false }
      return value.bytes[..<count] == cell.value.bytes[..<count]
    }

    /// The bytes that cells about an element begin with; no element's are the beginning of another's.
    static func memberName(_ element: Value) -> [UInt8] {
      var writer = ByteWriter()
      writer.byte(element.kind.rawValue)
      writer.lengthPrefixed(element.bytes)
      return writer.bytes
    }

    /// The bytes that cells about an item begin with; no item's are the beginning of another's.
    static func itemName(_ item: Dot) -> [UInt8] {
      var writer = ByteWriter()
      writer.identifier(item.site)
      writer.varint(item.seq)
      return writer.bytes
    }
  }
#else
  /// A core for models without counters, sets and lists keeps their cells whole, as unknown ones.
  extension Cell {
    var nameCount: Int? { 0 }
    func hasName(of cell: Cell) -> Bool { true }
    func removes(_ part: Cell) -> Bool { false }
  }
#endif
