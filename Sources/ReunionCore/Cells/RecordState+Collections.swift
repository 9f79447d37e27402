#if !REGISTERS_ONLY
  /// Counters, sets and lists: fields that are made of many cells.
  extension RecordState {
    /// The sum of all sites' parts of a counter, or 0 if no site has one. Wraps at 64 bits.
    package func count(_ field: UInt32) -> Int64 {
      cells.reduce(0) { sum, cell in
        cell.field == field && cell.merge == .tally ? sum &+ (cell.value.int ?? 0) : sum
      }
    }

    /// What a site has added to a counter, in sum.
    package func tally(_ field: UInt32, of site: Site) -> Int64 {
      let part = cells.first { $0.field == field && $0.merge == .tally && $0.dot.site == site }
      return part?.value.int ?? 0
    }

    /// The elements of a set, each once, by kind and bytes.
    package func members(_ field: UInt32) -> [Value] {
      let all = cells.filter { $0.field == field && $0.merge == .member }.map { $0.value }
      let sorted = all.sorted(by: Value.isOrdered)
      return sorted.indices.filter { $0 == 0 || sorted[$0] != sorted[$0 - 1] }.map { sorted[$0] }
    }

    /// The additions of an element that a removal made now would have seen.
    package func additions(_ field: UInt32, of element: Value) -> VersionVector {
      var seen = VersionVector()
      let name = Cell.memberName(element)
      for cell in cells where cell.field == field {
        if cell.merge == .member, cell.value == element {
          seen.raise(cell.dot.site, to: cell.dot.seq)
        } else if cell.merge == .memberRemoval, cell.value.bytes.starts(with: name),
          let earlier = cell.seen
        {
          seen.merge(earlier)
        }
      }
      return seen
    }

    /// An item of a list.
    package struct Item: Hashable, Sendable {
      /// Its name.
      package var dot: Dot
      /// Where it stands; nil while its place has not come.
      package var position: Position?
      /// What it holds.
      package var value: Value
    }

    /// The items of a list in their order: by position, then by name. Cost: O(items · log items).
    package func items(_ field: UInt32) -> [Item] {
      var places: [Dot: Position] = [:]
      for cell in cells where cell.field == field {
        if cell.merge == .place, let item = cell.namedItem { places[item] = cell.position }
      }
      return cells.filter { $0.field == field && $0.merge == .item }
        .map { Item(dot: $0.dot, position: places[$0.dot], value: $0.value) }
        .sorted { left, right in
          if left.position != right.position {
            guard let first = left.position else { return true }
            guard let second = right.position else { return false }
            return first < second
          }
          return left.dot < right.dot
        }
    }

    // MARK: Merging

    /// Merges a part of a collection: of those in one slot one stays.
    mutating func mergePart(_ cell: Cell) -> Outcome {
      for removal in cells where removal.removes(cell) { return Outcome(changed: false) }
      if let index = cells.firstIndex(where: { $0.hasSlot(of: cell) }) {
        let held = cells[index]
        // Of several removals of an item the first stays.
        let wins =
          cell.merge == .itemRemoval ? cell.isEarlier(than: held) : held.isEarlier(than: cell)
        guard wins else { return Outcome(changed: false) }
        // Its place may be another: cells are ordered by dot.
        cells.remove(at: index)
      } else if cell.merge == .itemRemoval {
        cells.removeAll { cell.removes($0) }
      }
      insert(cell)
      return Outcome(changed: true)
    }
  }

  extension Cell {
    /// Whether two cells are of one part of a collection, so that one of them stays.
    fileprivate func hasSlot(of cell: Cell) -> Bool {
      guard field == cell.field, merge == cell.merge else { return false }
      return switch merge {
      case .tally: dot.site == cell.dot.site
      case .member: dot.site == cell.dot.site && value == cell.value
      case .item: dot == cell.dot
      default: hasName(of: cell)
      }
    }

    /// Whether this removal removes a part, which then goes.
    func removes(_ part: Cell) -> Bool {
      guard field == part.field else { return false }
      switch (merge, part.merge) {
      case (.memberRemoval, .member):
        return value.bytes.starts(with: Self.memberName(part.value))
          && seen?.covers(part.dot) == true
      case (.itemRemoval, .item): return value.bytes == Self.itemName(part.dot)
      case (.itemRemoval, .place): return part.value.bytes.starts(with: value.bytes)
      default: return false
      }
    }

    /// Whether a site wrote this before another, or a total order says so.
    fileprivate func isEarlier(than cell: Cell) -> Bool {
      merge == .tally || merge == .member
        ? dot.seq < cell.dot.seq || dot.seq == cell.dot.seq && Self.isOrdered(self, before: cell)
        : Self.isOrdered(self, before: cell)
    }
  }
#endif
