import Foundation
public import ReunionStore

/// What an app notes in a file beside its store: which space is the app's, and whatever else it
/// wants.
///
/// ```swift
/// struct MapNote: AppNote {
///   var space: String
///   var title: String?
///   init(space: String) { self.space = space }
/// }
/// ```
///
/// Whatever else it has must be optional, or have a default when it is decoded: the file of a new
/// folder has the space alone.
public protocol AppNote: Codable, Sendable {
  /// The space, as text.
  var space: String { get }
  /// Notes a space alone.
  init(space: String)
}

/// The folder of an app's data: its store, the app's space in it, and who may enter that space.
///
/// The space begins with one record, the root, whose id is the space's. A file beside the store
/// says which space it is. If a store comes without that file, as a clone's does, the root says it.
public struct AppFolder<Root: Entity, Note: AppNote>: Sendable {
  /// The store.
  public let store: Store
  /// The app's space.
  public let space: SpaceID
  /// The access to that space.
  public let access: Access
  private let file: URL

  /// Opens the folder. If there is no space in it, makes one with the root that `begin` fills in.
  ///
  /// *Durability*: the root is on the disk when this returns. The note is not synced: if a power
  /// cut takes it, the root says which space is the app's.
  /// - Parameters:
  ///   - path: The folder, which is made where it is missing.
  ///   - name: The name of the note's file in it, such as `map.json`.
  ///   - what: What the folder holds, such as "a map", for the sentence of an error.
  ///   - entities: The app's model. Those of `Access` are added to it.
  ///   - begin: Fills in the root of a new space; it is not called for one that is there.
  /// - Throws: `ServerError` `badFolder` if the folder has other files, belongs to another app or
  ///   cannot be written; it stays as it is. `StoreError` as `Store.open`.
  public init(
    _ path: String, file name: String, of what: String, entities: Model,
    begin: (inout Root) -> Void = { _ in }
  ) throws {
    file = URL(filePath: path).appending(path: name)
    let space: SpaceID
    if let kept = Self.note(in: file).flatMap({ SpaceID($0.space) }) {
      space = kept
    } else if FileManager.default.fileExists(atPath: path + "/store.sqlite") {
      space = try Self.space(in: path, entities) {
        ServerError(
          .badFolder, "\(path) holds something other than \(what): choose another folder.")
      }
    } else {
      try DataFolder.checkNew(path)
      space = .random()
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try JSONWriter.bytes(Note(space: space.description)).write(to: file, options: .atomic)
    }
    self.space = space
    store = try Store.open(folder: path, model: entities.adding(Access.entities))
    access = try Access(to: space, in: store)
    let id = Self.root(of: space)
    guard try store.fetch(Root.self, id, in: space) == nil else { return }
    var root = Root(id: id)
    begin(&root)
    try store.write(in: space) { [root] in try $0.create(root) }
  }

  /// What the file says now; nil where it is missing or cannot be understood. It is read each time.
  public var note: Note? { Self.note(in: file) }

  /// Writes the note to the file, in one step: a kill leaves the old one or the new one. It is not
  /// synced: a power cut may take it.
  ///
  /// - Throws: the system's error where the file cannot be written.
  public func keep(_ note: Note) throws {
    try JSONWriter.bytes(note).write(to: file, options: .atomic)
  }

  /// The id of the record with which a space begins.
  private static func root(of space: SpaceID) -> RecordID {
    RecordID(high: space.high, low: space.low)
  }

  private static func note(in file: URL) -> Note? {
    // One that cannot be read says nothing.
    try? JSONDecoder().decode(Note.self, from: Data(contentsOf: file))
  }

  /// The app's space in a store without the file. Entities have numbers, and those of another app
  /// would be read as this one's.
  private static func space(
    in path: String, _ entities: Model, refusal: () -> ServerError
  ) throws -> SpaceID {
    try Store.requireOwnFolder(path)
    var options = StoreOptions()
    options.isReadOnly = true
    let store = try Store.open(existing: path, options: options)
    defer { try? store.close() }
    let (number, name) = (Root.schema.number, Root.schema.name)
    let names = Dictionary(
      store.model.entities.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
    let spaces = try store.spaces
    // A clone of the command has records and no names.
    if names[number] ?? name == name,
      let found = try spaces.first(where: {
        try store.record(entity: number, root(of: $0), in: $0) != nil
      })
    {
      return found
    }
    // One that was salvaged may have lost the root, and no other record.
    let hasOthers = entities.entities.contains {
      $0.number != number && names[$0.number] == $0.name
    }
    guard spaces.isEmpty || hasOthers else { throw refusal() }
    return .random()
  }
}
