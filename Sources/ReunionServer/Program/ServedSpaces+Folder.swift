public import ReunionStore

extension ServedSpaces {
  /// Opens the folder of a server, and all spaces in it: of `reunion serve`, or of an app whose
  /// `entities` its records are.
  ///
  /// - Throws: `badFolder` if the folder has other files, or holds another app's data; it stays as it is.
  public convenience init(folder: String, entities: Model = Model()) throws {
    try DataFolder.checkNew(folder)
    try DataFolder.requireNoApp(folder, but: entities.entities)
    try self.init(in: Store.open(folder: folder, model: entities.adding(Self.entities)))
  }
}
