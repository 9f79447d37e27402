package import ReunionCore

/// A field's column; columns have no type affinity, so that values stay exact.
package struct FieldColumn: Hashable, Sendable {
  package let field: UInt32
  package let kind: ValueKind
  /// The most bytes of a value, by the model.
  var bytesMax = Value.bytesMax
}
