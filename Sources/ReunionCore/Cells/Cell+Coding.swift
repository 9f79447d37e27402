/// The wire form of cells: the sites that occur, once each, then the cells that name them by number.
///
///     sites:  count, then sixteen bytes each
///     cell:   field, merge kind, value kind, number of the site, seq,
///             stamp (8 bytes), stamp - replaced (0 where nothing was replaced), length, bytes
///
/// A register of seven bytes of text takes about 25 bytes beside its record and its site.
extension ByteWriter {
  mutating func cells(_ cells: [Cell]) {
    var sites = SiteTable()
    for cell in cells { sites.add(cell.dot.site) }
    siteTable(sites)
    varint(UInt64(cells.count))
    for each in cells { cell(each, sites) }
  }

  mutating func changes(_ changes: [Change]) {
    var sites = SiteTable()
    for change in changes { sites.add(change.cell.dot.site) }
    siteTable(sites)
    var start = 0
    while start < changes.count {
      let first = changes[start]
      var end = start + 1
      while end < changes.count, changes[end].record == first.record,
        changes[end].entity == first.entity
      {
        end += 1
      }
      varint(UInt64(first.entity))
      identifier(first.record)
      varint(UInt64(end - start))
      for index in start..<end { cell(changes[index].cell, sites) }
      start = end
    }
  }

  private mutating func siteTable(_ sites: SiteTable) {
    varint(UInt64(sites.sites.count))
    for site in sites.sites { identifier(site) }
  }

  private mutating func cell(_ cell: Cell, _ sites: SiteTable) {
    varint(UInt64(cell.field))
    byte(cell.merge.rawValue)
    byte(cell.value.kind.rawValue)
    varint(UInt64(sites.number(of: cell.dot.site)))
    varint(cell.dot.seq)
    integer(cell.stamp.rawValue)
    varint(cell.replaced == .none ? 0 : cell.stamp.rawValue - cell.replaced.rawValue)
    lengthPrefixed(cell.value.bytes)
  }
}

extension ByteReader {
  mutating func cells() throws(WireError) -> [Cell] {
    let sites = try siteTable()
    var cells: [Cell] = []
    for _ in 0..<(try count(bytesEach: 14)) { cells.append(try cell(sites)) }
    return cells
  }

  mutating func changes() throws(WireError) -> [Change] {
    let sites = try siteTable()
    var changes: [Change] = []
    while remaining > 0 {
      let entity = try entity()
      let record = try identifier(RecordID.self)
      let cellCount = try count(bytesEach: 14)
      guard cellCount > 0 else { throw .malformed("A record has no cells.") }
      for _ in 0..<cellCount {
        changes.append(Change(entity: entity, record: record, cell: try cell(sites)))
      }
    }
    return changes
  }

  private mutating func siteTable() throws(WireError) -> [Site] {
    var sites: [Site] = []
    for _ in 0..<(try count(bytesEach: 16)) { sites.append(try identifier(Site.self)) }
    return sites
  }

  private mutating func cell(_ sites: [Site]) throws(WireError) -> Cell {
    let field = UInt32(try varint(upTo: UInt64(Cell.fieldMax)))
    let merge = MergeKind(rawValue: try byte())
    let kind = ValueKind(rawValue: try byte())
    let number = try varint()
    guard number < UInt64(sites.count) else { throw .malformed("A cell names no site.") }
    let seq = try varint()
    let stamp = Stamp(rawValue: try integer(UInt64.self))
    let distance = try varint()
    let bytes = try lengthPrefixed(upTo: Value.bytesMax)
    guard distance < stamp.rawValue else { throw .malformed("A replaced stamp is malformed.") }
    let cell = Cell(
      field: field, merge: merge, dot: Dot(site: sites[Int(number)], seq: seq), stamp: stamp,
      replaced: distance == 0 ? .none : Stamp(rawValue: stamp.rawValue - distance),
      value: Value(kind: kind, bytes: bytes))
    try cell.validate()
    return cell
  }
}

extension Cell {
  /// Refuses what no replica writes: a number or a stamp out of bounds, a value that is too large,
  /// a creation or a delete outside of field 0, a register in it, a delete that saw nothing readable.
  package func validate() throws(WireError) {
    guard field <= Cell.fieldMax, value.bytes.count <= Value.bytesMax else {
      throw WireError(.tooLarge, "A cell is over its limits.")
    }
    guard dot.seq > 0, dot.seq <= Dot.seqMax else {
      throw .malformed("A cell has no valid seq.")
    }
    guard stamp != .none, stamp < Stamp.limit else { throw .malformed("A stamp is malformed.") }
    guard replaced < stamp else { throw .malformed("A replaced stamp is malformed.") }
    switch merge {
    case .creation:
      guard field == Cell.existence, value.bytes.isEmpty else {
        throw .malformed("A creation is malformed.")
      }
    case .deletion:
      guard field == Cell.existence, seen != nil else { throw .malformed("A delete is malformed.") }
    case .register, .annotation:
      guard field != Cell.existence else { throw .malformed("A register has no field.") }
    #if !REGISTERS_ONLY
      case .tally:
        guard field != Cell.existence, value.kind == .int, value.int != nil else {
          throw .malformed("A counter's part is malformed.")
        }
      case .member, .item:
        guard field != Cell.existence else { throw .malformed("An element has no field.") }
      case .memberRemoval:
        guard field != Cell.existence, seen != nil else {
          throw .malformed("A removal from a set is malformed.")
        }
      case .place:
        guard field != Cell.existence, namedItem != nil, position != nil else {
          throw .malformed("A place in a list is malformed.")
        }
      case .itemRemoval:
        guard field != Cell.existence, namedItem != nil, nameCount == value.bytes.count else {
          throw .malformed("A removal from a list is malformed.")
        }
    #endif
    default: break
    }
  }
}

/// The sites of a message, each once, in the order of their first use.
private struct SiteTable {
  private(set) var sites: [Site] = []

  mutating func add(_ site: Site) {
    if !sites.contains(site) { sites.append(site) }
  }

  func number(of site: Site) -> Int { sites.firstIndex(of: site) ?? 0 }
}

extension ByteWriter {
  /// Appends all of a cell, so that no two cells have the same bytes.
  package mutating func flatCell(_ cell: Cell) {
    integer(cell.field)
    byte(cell.merge.rawValue)
    byte(cell.value.kind.rawValue)
    identifier(cell.dot.site)
    integer(cell.dot.seq)
    integer(cell.stamp.rawValue)
    integer(cell.replaced.rawValue)
    integer(UInt32(cell.value.bytes.count))
    bytes(cell.value.bytes)
  }
}
