import Foundation

/// Something that reads bytes from outside: whatever they are, it returns or throws.
struct FuzzTarget: Sendable {
  /// Reads one input. To throw is to refuse it, except for ``Finding``.
  typealias Reader = ([UInt8]) throws -> Void

  let name: String
  /// Its inputs of the 5,000,000 in `make faults`, and by that its part of the time in `make test`.
  let inputsInFull: Int
  /// How many inputs go to one reader, which may remember what came before.
  var inputsPerReader = 1_000
  /// The most bytes of an input.
  var bytesMax = 64 << 10
  /// What its format writes in plain words.
  var words: [String] = []
  /// Valid inputs, from which the others are made.
  let samples: @Sendable () throws -> [[UInt8]]
  let reader: @Sendable () throws -> Reader

  /// A broken promise that is no trap: what was read was not written back the same, say.
  struct Finding: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// Throws where what must hold does not.
  static func require(_ isSo: Bool, _ sentence: @autoclosure () -> String) throws {
    if !isSo { throw Finding(sentence()) }
  }

  static let all: [FuzzTarget] = [
    .httpHeads, .httpServer, .webSocketFrames, .messages, .parts, .core, .sessions, .links, .exif,
    .previews, .workerAnswers, .pictureFiles, .feeds, .archives, .backups,
  ]

  /// Seeded bugs: what the harness must find in a reader.
  static let bugs: [FuzzTarget] = [.traps, .hangs, .grows, .disagrees]

  static func named(_ name: String) -> FuzzTarget? { (all + bugs).first { $0.name == name } }
}

extension [UInt8] {
  init(_ text: String) { self = Array(text.utf8) }
}
