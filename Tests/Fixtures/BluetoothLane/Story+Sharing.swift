import Foundation
import Reunion
import ReunionTools
import Waiting

/// An album's photo, as an app has it; the command does not know it.
private struct Photo: Entity {
  let id: RecordID
  var caption = ""
  var preview: Blob?
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Photo>(
    1, "photo", [.field(1, "caption", \.caption), .field(2, "preview", \.preview)])
}

/// Two stores that have nothing but the radio, each with the command of its owner.
private struct SharedAlbum {
  let served: String
  let joined: String
  let space = SpaceID.random()

  /// Writes photos as the app would, while no command has the store; the first one has the preview.
  func write(_ count: Int, previewBytes: Int? = nil) throws {
    let replica = try Replica(folder: served, model: Model(Photo.schema))
    try replica.write(in: space) { transaction in
      for number in 0..<count {
        try transaction.create(Photo.self) {
          $0.caption = "Photo \(number)"
          guard number == 0, let previewBytes else { return }
          $0.preview = Blob(Content.bytes(previewBytes, 7))
        }
      }
    }
    try replica.close()
  }

  /// Checks that both hold the same, to the bit: this number of records, and the one preview.
  func requireEqual(_ records: Int) throws -> String {
    let sides = try [served, joined].map { try Fingerprint(folder: $0) }
    guard sides[0] == sides[1], sides[0].records == records, sides[0].blobs == 1 else {
      throw LaneError("They differ: \(sides).")
    }
    return "\(records) records and \(sides[0].blobBytes) bytes of a preview are equal"
  }
}

extension Story {
  /// The command of two people who share an album, with no network.
  func sharing(isWhole: Bool) async {
    let command = URL(filePath: program).deletingLastPathComponent().appending(path: "command").path
    let album = SharedAlbum(served: "\(folder)/album", joined: "\(folder)/joined")
    func serve() throws -> Child {
      try Child("serve", [command, "serve", album.served, "--adapter", "hci0"])
    }
    func join(_ code: [String]) throws -> Child {
      try Child(
        "join", [command, "join"] + code + ["--adapter", "hci1", "--folder", album.joined])
    }
    func hasCome(_ child: Child, _ words: String) -> Bool { !child.lines(with: words).isEmpty }
    await step("two stores share an album, with a cut in the middle") {
      try album.write(50, previewBytes: isWhole ? 200_000 : 20_000)
      let serving = try serve()
      defer { serving.kill() }
      // On the other device: reunion bluetooth join CODE
      let code = try await find("a code is printed") { serving.said("On").first?[7] }
      // Slow enough to cut the preview.
      try air("pace 1")
      let joining = try join([code])
      defer { joining.kill() }
      try await eventually("the records are there, and the preview is not") {
        hasCome(joining, "Copying: 50 records and 0 blobs")
      }
      try air("away")
      try await eventually("the loss is seen") {
        hasCome(joining, "Waits for the other device: 50")
      }
      guard joining.lines(with: "Complete").isEmpty else { throw LaneError("Nothing was cut.") }
      try air("pace 0")
      try air("back")
      try await eventually("all is there") { hasCome(joining, "Complete: 50 records and 1 blob") }
      for child in [joining, serving] {
        child.stop()
        guard try await child.finish() == 0 else {
          throw LaneError("It fails at its end.")
        }
      }
      return try album.requireEqual(50)
    }
    guard isWhole else { return }
    await step("what was shared goes on at the next start, without a code") {
      try album.write(1)
      let serving = try serve()
      defer { serving.kill() }
      let joining = try join([])
      defer { joining.kill() }
      try await eventually("the new record is there") { hasCome(joining, "Complete: 51 records") }
      for child in [joining, serving] {
        child.stop()
        guard try await child.finish() == 0 else {
          throw LaneError("It fails at its end.")
        }
      }
      return try album.requireEqual(51)
    }
  }
}
