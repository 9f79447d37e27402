import ReunionStore

extension Model {
  /// An app's model, in its version, with other entities beside its own.
  func adding(_ others: [EntityDescription]) -> Model {
    Model(entities: entities + others, version: version, minimumReader: minimumReader)
  }
}
