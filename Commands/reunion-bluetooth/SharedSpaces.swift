import Reunion
import ReunionBluetooth
import ReunionCore

/// Which spaces a folder's store shares, and with whom: what goes on at the next start without a code.
///
/// A line each, with the peer and the space, in the file `bluetooth.spaces` beside the store.
struct SharedSpaces {
  struct Entry: Hashable, Sendable {
    let peer: PeerID
    let space: SpaceID
  }

  private static let bytesMax = 1 << 20
  private(set) var entries: [Entry]
  private let path: String

  /// Reads what is kept; nothing if there is no file.
  ///
  /// - Throws: `StoreError` for a file that cannot be read or understood, which is left as it is.
  init(folder: String) throws {
    path = "\(folder)/bluetooth.spaces"
    let bytes = try PrivateFile.read(path) ?? []
    let lines = String(decoding: bytes.prefix(Self.bytesMax), as: UTF8.self).split(separator: "\n")
    let entries = lines.compactMap(Self.entry)
    guard bytes.count < Self.bytesMax, entries.count == lines.count else {
      throw StoreError(
        .damaged,
        "\(path) cannot be understood. Put it back from a backup, or remove it and join anew.")
    }
    self.entries = entries
  }

  private static func entry(_ line: Substring) -> Entry? {
    let words = line.split(separator: " ").map(String.init)
    guard words.count == 2, let bytes = Hexadecimal.bytes(words[0]),
      let peer = PeerID(bytes: bytes), let space = SpaceID(words[1])
    else { return nil }
    return Entry(peer: peer, space: space)
  }

  /// Whether something is shared with a peer.
  func holds(_ peer: PeerID) -> Bool { entries.contains { $0.peer == peer } }

  /// Keeps that a space is shared with a peer; it is on the disk when this returns.
  mutating func keep(_ entry: Entry) throws {
    guard !entries.contains(entry) else { return }
    let text = (entries + [entry]).map { "\($0.peer) \($0.space)\n" }.joined()
    try PrivateFile.write(Array(text.utf8), to: path)
    entries.append(entry)
  }
}

/// The message by which a device that serves a space says which one it is.
enum SpaceOffer {
  private static let head = "reunion space 1 "

  static func bytes(of space: SpaceID) -> [UInt8] { Array("\(head)\(space)".utf8) }

  /// The space that is offered; nil for any other message.
  static func space(in bytes: [UInt8]) -> SpaceID? {
    guard bytes.count == head.utf8.count + 32, bytes.starts(with: head.utf8)
    else { return nil }
    return SpaceID(String(decoding: bytes.dropFirst(head.utf8.count), as: UTF8.self))
  }
}
