import ReunionCore

/// The entities that the library keeps for itself: their numbers are 16,777,200 and above, the names
/// of those that SQL shows begin with `reunion_`. An app takes neither (docs/protocol.md, 2.13).
package enum ReservedEntity {
  /// The first of the library's own numbers.
  static let firstNumber = setting

  /// A setting of a person.
  static let setting: UInt32 = 16_777_200
  /// A site that was given up.
  static let retirement: UInt32 = 16_777_210
  /// A record that was erased for good.
  static let recordErasure: UInt32 = 16_777_211
  /// The version of the model that a space's readers need.
  static let requiredReader: UInt32 = 16_777_212
  /// A blob that was erased for good.
  static let blobErasure: UInt32 = Cell.fieldMax

  /// The entities that a model may have all the same: the server's, and those of imported feeds.
  private static let names: [UInt32: String] = [
    16_777_201: "reunion_invitation", 16_777_202: "reunion_member",
    16_777_203: "reunion_feed", 16_777_204: "reunion_feedEntry", 16_777_205: "reunion_delivery",
    16_777_206: "reunion_spaceName", 16_777_207: "reunion_personDevice",
    16_777_208: "reunion_ownSpace", 16_777_209: "reunion_pairingLink",
  ]

  /// The name of an entity that a model may have; nil for other numbers.
  package static func name(of number: UInt32) -> String? { names[number] }

  /// Whether that is the name of such an entity, which its view has.
  static func hasName(_ name: String) -> Bool { names.values.contains(name) }

  /// Whether an entity is one that the library brings along itself.
  static func contains(_ entity: EntityDescription) -> Bool { names[entity.number] == entity.name }
}
