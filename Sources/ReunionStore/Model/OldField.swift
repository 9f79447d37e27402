import ReunionCore

/// A field that a lens names by its number: most often one that this version of the model hides.
///
/// ```swift
/// let minutes = OldField(4, Int.self, initial: 0)
/// let lens = Lens<Photo>.retype(minutes, to: \.stars, by: .times(60))
/// print(lens)
/// ```
/// Its type is that of the older version, and of the same kind as there: a model whose schema has
/// the field with another is refused.
public struct OldField: Sendable {
  let number: UInt32
  let kind: ValueKind
  let isOptional: Bool
  /// What counts where a record has no value of it; nil for none.
  let initial: Value?

  /// Names a field by its number and type.
  ///
  /// `initial` is what the old version shows of a record that has no value of the field. It counts
  /// while another field that the lens reads has a value. Without one, a lens makes nothing of such
  /// a record.
  public init<V: FieldValue>(_ number: UInt32, _: V.Type, initial: V? = nil) {
    self.number = number
    kind = V.valueKind
    isOptional = V.isOptional
    self.initial = initial?.storedValue ?? (V.isOptional ? .null : nil)
  }
}
