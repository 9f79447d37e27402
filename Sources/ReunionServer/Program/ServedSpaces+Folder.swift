public import ReunionStore

extension ServedSpaces {
  /// Opens the folder of a server, and all spaces in it: of `reunion serve`, or of an app whose
  /// `entities` its records are.
  ///
  /// The folder is made where it is missing, and locked: one program at a time has it. With the
  /// app's entities, rules and routes can read and write records; without them the server is for
  /// any model.
  /// - Throws: `badFolder` if the folder has other files, or holds another app's data; it stays as
  ///   it is. `StoreError` as `Store.open`, such as `inUse`.
  public convenience init(folder: String, entities: Model = Model()) throws {
    try DataFolder.checkNew(folder)
    try DataFolder.requireNoApp(folder, but: entities.entities)
    try self.init(in: Store.open(folder: folder, model: entities.adding(Self.entities)))
  }
}
