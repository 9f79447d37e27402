import ReunionCore
import ReunionDisk

extension Store {
  /// What `open(folder:model:options:)` would do to the store in a folder, which it reads alone.
  ///
  /// ```swift
  /// let plan = try Store.plan(folder: "album", model: model)
  /// print(plan)
  /// if plan.touchesRows { print("This needs room for a copy of the database.") }
  /// ```
  /// The store may be in use, and a damaged or a foreign one is not found out. What the plan says
  /// holds for the moment in which it was made: records that arrive later are taken in too.
  ///
  /// *Thread*: any. *Cost*: a handful of pages; where the model adds or removes something, a look
  /// through what is unknown or refers to it.
  /// - Parameters:
  ///   - folder: where the store is.
  ///   - model: the model that it shall be opened with.
  ///   - options: the disk is what counts of them.
  /// - Returns: the steps, in their order.
  /// - Throws: `notFound` if there is no store, `newerVersion`, `invalidModel` if the model
  ///   contradicts the store or itself, `damaged`, `ioFailed`.
  public static func plan(
    folder: String, model: Model, options: StoreOptions = StoreOptions()
  ) throws(StoreError) -> UpgradePlan {
    try model.validate()
    return try reading(folder, options) { (connection) throws(StoreError) in
      try UpgradePlan(from: StoredLayout(connection, for: model), to: model)
    }
  }

  /// Reads the database of a folder as it is, and leaves its log alone.
  static func reading<Success>(
    _ folder: String, _ options: StoreOptions,
    _ body: (DatabaseConnection) throws(StoreError) -> Success
  ) throws(StoreError) -> Success {
    let path = folder + "/store.sqlite"
    guard try options.disk.exists(path) else {
      throw StoreError(.notFound, "There is no store in \(folder): name the folder that has one.")
    }
    let connection = try DatabaseConnection(path: path, on: options.disk, readOnly: true)
    defer { connection.close() }
    try connection.keepLogOnClose(true)
    try Database(path: path, options: options).checkVersion(connection)
    return try body(connection)
  }
}
