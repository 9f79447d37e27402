public import ReunionCore
public import ReunionStore

/// Something that the app under test does at a replica, with that replica's store and space.
///
/// It must draw all randomness from the source that it gets.
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
public struct WorldPromise: Sendable {
  /// The promise in a sentence.
  public let sentence: String
  /// Makes what tells whether it is kept: anew in each history, so that one leaves nothing to another.
  let begin: @Sendable () -> Check

  typealias Check = @Sendable (Store, SpaceID) throws -> Bool

  /// Makes a promise.
  public init(_ sentence: String, isKept: @escaping @Sendable (Store, SpaceID) throws -> Bool) {
    self.init(sentence) { isKept }
  }

  init(_ sentence: String, begin: @escaping @Sendable () -> Check) {
    self.sentence = sentence
    self.begin = begin
  }
}
