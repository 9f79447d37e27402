public import ReunionCore
import ReunionDisk
public import ReunionFlow

/// That a space holds what this app is too old to read.
///
/// ```swift
/// let need = try store.updateNeed(in: space)
/// let watching = need.observe { if let need = $0 { print(need) } }
/// watching.cancel()
/// ```
/// Nothing else changes: what people write here is kept and sent, and what arrives is kept whole
/// and shown as far as this app knows it.
public struct UpdateNeed: Hashable, Sendable {
  /// The space.
  public let space: SpaceID
  /// The version of the app's model that it needs: the highest `Model.minimumReader` that a device
  /// has required there.
  public let needed: Int
  /// The version that this app has: `Model.version` of the model that the store was opened with.
  public let version: Int
}

extension UpdateNeed: CustomStringConvertible {
  /// A sentence for a person, in English.
  public var description: String {
    "Update this app to see everything here: it has version \(version) of the data, and others have written"
      + " version \(needed). What you write is kept and sent."
  }
}

extension Store {
  /// Whether a space holds what this store's model is too old to read, now and after each commit;
  /// nil while it does not.
  ///
  /// *Thread* and *lifetime*: as for `live(_:)`, and in one turn with it. *Cost*: one look into an
  /// index at each commit in the space.
  public func updateNeed(in space: SpaceID) throws -> Signal<UpdateNeed?> {
    let version = model.version
    return try following(space) { (reader, number) throws(StoreError) in
      guard let number else { return nil }
      let needed = try reader.requiredReader(space: number)
      return needed > version ? UpdateNeed(space: space, needed: needed, version: version) : nil
    }
  }
}
