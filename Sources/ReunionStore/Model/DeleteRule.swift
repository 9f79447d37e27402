/// What becomes of a record when the record that a field of it names is deleted.
///
/// ```swift
/// struct Comment: Entity {
///   let id: RecordID
///   var photo: Reference<Photo>?
///   init(id: RecordID) { self.id = id }
///   static let schema = EntitySchema<Comment>(
///     3, "comment", [.field(1, "photo", \.photo, onDelete: .delete)])
/// }
/// ```
/// It acts in the transaction that deletes, on the device that deletes, over what is there by then;
/// undo brings all of it back in one step. What somebody else adds meanwhile stays, and its
/// reference names a record that is not there any more: merging never enforces a rule. Without a
/// rule the reference stays.
///
/// *Cost*: a field with a rule has an index, and a delete looks into it once for each record that
/// it takes. A guest may delete only where all that follows are the guest's own records; a server
/// refuses the rest.
public enum DeleteRule: String, Hashable, Sendable {
  /// The field names nothing from then on. It must be optional: a model with another is refused.
  case clear
  /// The record is deleted too, and what names it by its own rules; circles end. Deep trees are one
  /// transaction.
  case delete
  /// The delete throws `referenced`, unless it takes the record along anyway. Nothing of it is done
  /// then.
  case refuse
}

/// Which entity a field names, and what becomes of its record when the named one is deleted: what a
/// `FieldDescription` has of a field with `onDelete`.
public struct ReferenceRule: Hashable, Sendable {
  /// The number of the entity whose records the field names.
  public let target: UInt32
  /// What becomes of the record that names it.
  public let onDelete: DeleteRule

  /// Makes a rule.
  public init(target: UInt32, onDelete: DeleteRule) {
    self.target = target
    self.onDelete = onDelete
  }
}

extension Field {
  /// Makes a field that names another record, with what becomes of its own when that one is
  /// deleted.
  ///
  /// ```swift
  /// let field = Field<Photo>.field(2, "album", \.album, onDelete: .delete)
  /// print(field)
  /// ```
  @inlinable
  public static func field<R: TypedReferenceValue>(
    _ number: UInt32, _ name: String, _ path: any WritableKeyPath<E, R> & Sendable,
    onDelete: DeleteRule
  ) -> Field<E> { field(number, name, path, to: R.Target.self, onDelete: onDelete) }

  /// Makes a field of plain ids, or of a type of your own over one, that names records of an
  /// entity. A field of another kind than a reference is refused with the model.
  @inlinable
  public static func field<V: FieldValue, Target: Entity>(
    _ number: UInt32, _ name: String, _ path: any WritableKeyPath<E, V> & Sendable,
    to _: Target.Type, onDelete: DeleteRule
  ) -> Field<E> {
    // Two schemas may name each other: none is made while the other one is.
    field(number, name, path).ruled(onDelete) { Target.schema.number }
  }

  @usableFromInline
  func ruled(_ onDelete: DeleteRule, _ target: @escaping @Sendable () -> UInt32) -> Field {
    var field = self
    field.rule = FieldRule(onDelete: onDelete, target: target)
    return field
  }
}

/// A field's rule, before the entity that it names is asked for its number.
struct FieldRule: Sendable {
  let onDelete: DeleteRule
  let target: @Sendable () -> UInt32
}
