import ReunionCore
import ReunionDisk

extension WriteTransaction {
  /// A field's value as it is kept: a blob that is not below the threshold is made a file first, so
  /// that no record ever names bytes that are not there.
  ///
  /// *Cost*: for such a file some four syncs, while other writes wait; what `blobs.add` kept before
  /// the write costs nothing here.
  func kept<E: Entity>(_ value: Value, in field: Field<E>) throws(StoreError) -> Value {
    guard let threshold = field.inlineBelow, let bytes = value.inlineBlob,
      bytes.count >= threshold
    else { return value }
    return .blob(try store.parts.blobs.add(bytes, of: store, space: space, in: records))
  }
}
