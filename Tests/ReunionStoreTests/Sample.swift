import FoundationEssentials
import ReunionCore

@testable import ReunionStore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A folder of its own for a test, removed with everything in it when it is released.
final class Folder: Sendable {
  let path: String

  init(in root: String = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") {
    path = "\(root)/reunion-\(getpid())-\(UInt64.random(in: 0 ... .max))"
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var database: String { path + "/store.sqlite" }

  /// Copies everything, as `cp -r` does.
  func copy() throws -> Folder {
    let copy = Folder()
    try FileManager.default.copyItem(atPath: path, toPath: copy.path)
    return copy
  }

  /// The files of a closed store as they are now, for `rollBack`.
  func snapshot() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in ["store.sqlite", "identity"] {
      files[name] = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
    }
    return files
  }

  /// Puts a snapshot back as a machine's does, into the same files, so that nothing shows it.
  func rollBack(to files: [String: Data]) throws {
    for (name, bytes) in files {
      try bytes.write(to: URL(filePath: "\(path)/\(name)"))
    }
  }

  func open(
    _ model: Model = sampleModel, _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws -> Store {
    var options = StoreOptions()
    change(&options)
    // The store's clock holds the folder: an optimised build releases it after its last use.
    let wall = options.wallMilliseconds
    options.wallMilliseconds = { withExtendedLifetime(self) { wall() } }
    return try Store.open(folder: path, model: model, options: options)
  }
}

enum Rating: Int, FieldValue, Sendable { case good = 1, bad = 2 }

/// A record with a field of every kind.
struct Photo: Entity, Equatable {
  let id: RecordID
  var caption = ""
  var width = 0
  var score = 0.0
  var isShown = true
  var bytes: [UInt8] = []
  var taken = Date(timeIntervalSince1970: 0)
  var token = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  var album: RecordID?
  var original: BlobReference?
  var rating = Rating.good
  var note: String?
  var huge: Int64 = 0

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Photo>(
    3, "photo",
    [
      .field(1, "caption", \.caption), .field(2, "width", \.width), .field(3, "score", \.score),
      .field(4, "is shown", \.isShown), .field(5, "bytes", \.bytes), .field(6, "taken", \.taken),
      .field(7, "token", \.token), .field(8, "album", \.album),
      .field(9, "original", \.original), .field(10, "rating", \.rating),
      .field(11, "note", \.note), .field(12, "huge", \.huge),
    ])
}

struct Heart: Entity, Equatable {
  let id: RecordID
  var photo: RecordID?

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Heart>(4, "heart", [.field(1, "photo", \.photo)])
}

let sampleModel = Model(Photo.schema, Heart.schema)
let space = SpaceID(high: 7, low: 7)

extension Store {
  /// Takes over what another store has since they last met, as a session does.
  @discardableResult
  func pull(
    from other: Store, _ space: SpaceID = space, authority: Authority = .all,
    after cursor: UInt64? = nil, lacking vector: VersionVector? = nil
  ) throws -> Applied {
    let position = try self.position(of: other.site, in: space)
    guard case .at(let known, let ownSeq) = try other.resume(from: position, in: space) else {
      throw RolledBack()
    }
    let sending = Conversation.Reading(
      after: cursor ?? known, vectorAfter: 0, held: try vector ?? self.vector(of: space),
      ownSeq: vector == nil ? ownSeq : nil)
    let push = try other.push(in: space, sending)
    return try apply(push, in: space, authority: authority)
  }

  /// Takes over changes as if a peer had pushed them, with its whole vector.
  @discardableResult
  func take(
    _ changes: [Change], _ vector: VersionVector, from peer: Site, in space: SpaceID = space,
    authority: Authority = .all, position: [UInt8] = []
  ) throws -> Applied {
    try apply(
      IncomingPush(
        peer: peer, helloSeq: vector[peer], changes: changes, raised: vector, vector: vector,
        position: position),
      in: space, authority: authority)
  }

  /// Takes back what a store has refused, as the push says that brings it.
  func takeRefusals(of relay: Store, in space: SpaceID = space) throws {
    let standing = try relay.refusals(of: site, after: 0, in: space, bytesMax: .max)
    let changes = standing.flatMap { each in
      each.cells.map {
        Change(entity: each.refusal.entity, record: each.refusal.record, cell: $0)
      }
    }
    _ = try apply(
      IncomingPush(
        peer: relay.site, helloSeq: 0, changes: changes, refused: standing.map(\.refusal),
        raised: VersionVector(), vector: VersionVector(), position: []),
      in: space, authority: .all)
    guard let last = standing.last else { return }
    try relay.answerRefusals(of: site, upTo: last.number, in: space)
  }

  /// Every change that a space holds, in the order of their arrival.
  func allChanges(in space: SpaceID = space) throws -> [Change] {
    try push(
      in: space, Conversation.Reading(after: 0)
    ).changes
  }

  /// Reads a push whole, in windows of a kibibyte.
  func push(in space: SpaceID, _ sending: Conversation.Reading) throws -> IncomingPush {
    var sending = sending
    var changes: [Change] = []
    while true {
      let window = try window(in: space, sending, bytesMax: 1024)
      changes += window.changes
      sending.after = window.cursor
      guard let end = window.end else { continue }
      var raised = VersionVector()
      for dot in end.raised { raised.raise(dot.site, to: dot.seq) }
      return IncomingPush(
        peer: site, helloSeq: try vector(of: space)[site], changes: changes, raised: raised,
        vector: try vector(of: space), position: end.position)
    }
  }
}

/// That a store finds itself rolled back when it is to send.
struct RolledBack: Error {}

/// A generator of random numbers that gives the same ones for the same seed. Source: SplitMix64.
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
  }
}

func isCode(_ code: StoreError.Code, _ body: () throws -> Void) -> Bool {
  do {
    try body()
    return false
  } catch {
    return (error as? StoreError)?.code == code
  }
}
