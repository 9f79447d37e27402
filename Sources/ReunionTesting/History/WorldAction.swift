public import ReunionCore
public import ReunionStore

/// Something that the app under test does at a replica, with that replica's store and space.
///
/// ```swift
/// let clear = WorldAction("delete an album") { store, space, random in
///   let albums = try store.fetch(Query<Album>(in: space)).sorted { $0.id < $1.id }
///   guard let album = albums.randomElement(using: &random) else { return }
///   try store.write(in: space) { try $0.delete(Album.self, album.id) }
/// }
/// ```
///
/// It must draw all randomness from the source that it gets, and look at nothing else that differs
/// from run to run. So sort what you fetched before you pick. It may throw what the store throws:
/// where the replica's disk fails just then, that is no failure of the app.
public struct WorldAction: Sendable {
  /// Its name in reports.
  public let name: String
  let perform: @Sendable (Store, SpaceID, inout SeededRandom) throws -> Void

  /// Makes an action.
  public init(
    _ name: String,
    perform: @escaping @Sendable (Store, SpaceID, inout SeededRandom) throws -> Void
  ) {
    self.name = name
    self.perform = perform
  }
}

/// The app's own promise, which must hold at every replica at every moment.
///
/// ```swift
/// let named = WorldPromise("no photo is without its album") { store, space in
///   try store.fetch(Query<Photo>(in: space).filter(.unrelated(\.album))).isEmpty
/// }
/// ```
///
/// It is asked at every replica that runs, after some steps and at the end, while its disk does
/// what it should. Promise only what a merge can keep: of two devices that are apart, each sees its
/// own writes alone.
public struct WorldPromise: Sendable {
  /// The promise in a sentence.
  public let sentence: String
  /// Makes what tells whether it is kept: anew in each history, so that one leaves nothing to
  /// another.
  let begin: @Sendable () -> Check

  typealias Check = @Sendable (Store, SpaceID) throws -> Bool

  /// Makes a promise. The closure only reads; false, or an error that it throws, ends the history.
  public init(_ sentence: String, isKept: @escaping @Sendable (Store, SpaceID) throws -> Bool) {
    self.init(sentence) { isKept }
  }

  init(_ sentence: String, begin: @escaping @Sendable () -> Check) {
    self.sentence = sentence
    self.begin = begin
  }
}
