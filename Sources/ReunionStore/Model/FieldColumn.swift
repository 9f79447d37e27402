package import ReunionCore

/// A field's column; columns have no type affinity, so that values stay exact.
package struct FieldColumn: Hashable, Sendable {
  package let field: UInt32
  /// The kind of what it shows, by the model.
  package let kind: ValueKind
  /// The kind that clocks do not name: the one that the column had when it was made.
  let clockKind: ValueKind
  /// The most bytes of a value, by the model.
  var bytesMax = Value.bytesMax

  package init(field: UInt32, kind: ValueKind, clockKind: ValueKind? = nil) {
    self.field = field
    self.kind = kind
    self.clockKind = clockKind ?? kind
  }

  /// How a clock says that a value is of the column's kind; nil where it need not.
  var kindByte: UInt8? { kind == clockKind ? nil : kind.rawValue }

  /// Whether a column of this kind gives these bytes back exactly.
  func holds(_ value: Value) -> Bool {
    if value.kind == .null { return value.bytes.isEmpty }
    guard value.kind == kind else {
      return shown(value).flatMap { $0.widened(to: value.kind) } == value
    }
    switch kind {
    case .bool: return value.bytes == [0] || value.bytes == [1]
    case .int, .date, .double: return value.bytes.count == 8
    case .uuid, .reference: return value.bytes.count == 16
    case .text, .bytes, .blob: return true
    default: return false
    }
  }

  /// A cell's value as the column shows it: of numbers of the other kind the nearest; nil where it
  /// shows nothing of it.
  func shown(_ value: Value) -> Value? {
    if value.kind == kind || value.kind == .null { return holds(value) ? value : nil }
    return value.widened(to: kind)
  }

  /// The cell's value of which the column shows one, where it holds it; nil where it cannot.
  func cellValue(_ shown: Value, kind: ValueKind) -> Value? {
    shown.kind == kind ? shown : shown.kind == self.kind ? shown.widened(to: kind) : nil
  }
}

extension ValueKind {
  /// Whether fields of this kind may become fields of another, under the same number.
  func widens(to other: ValueKind) -> Bool {
    self == other || [self, other] == [.int, .double] || [self, other] == [.double, .int]
  }
}

extension Value {
  /// The nearest number of the other kind; nil if there is none.
  func widened(to kind: ValueKind) -> Value? {
    if kind == .double, self.kind == .int { return int.map { .double(Double($0)) } }
    guard kind == .int, let double, !double.isNaN else { return nil }
    let whole = double.rounded()
    return .int(Int64(exactly: whole) ?? (whole < 0 ? .min : .max))
  }
}
