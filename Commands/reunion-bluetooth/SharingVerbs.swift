import Foundation
import Reunion
import ReunionBluetooth
import ReunionCommandLine

/// The verb that shares a store's space with those who get the code.
enum ServeVerb {
  static let verb = BluetoothVerb(
    "serve", words: "FOLDER", "shares the store in FOLDER with those who join by the code",
    count: 1...1, isStoppable: true
  ) { invocation, words in
    let folder = words[0]
    guard FileManager.default.fileExists(atPath: "\(folder)/store.sqlite") else {
      throw CommandFailure(
        1, "There is no store in \(folder.onOneLine): name the folder of an app's data.")
    }
    let sharing = try SpaceSharing(folder: folder, invocation)
    let space = try invocation.space(in: sharing.replica)
    try await invocation.needRadio(sharing.bluetooth)
    await invocation.tellFaults()
    let invitation = Invitation()
    try sharing.resume()
    sharing.serve(space, by: invitation)
    CodePicture.draw(invitation, invocation.output)
    invocation.output.say(
      ["code": invitation.description, "space": space.description],
      "On the other device: reunion bluetooth join \(invitation)")
    try await sharing.stay(invocation)
  }
}

/// The verb that gets the space of a device that serves one, and keeps it in sync.
enum JoinVerb {
  static let verb = BluetoothVerb(
    "join", words: "[CODE]", "syncs with the device that printed the code, later without it",
    count: 0...1, isStoppable: true
  ) { invocation, words in
    let folder = invocation.folder ?? "reunion-shared"
    if let code = words.first, Invitation(code) == nil { throw Invocation.noCode(code) }
    try Store.requireOwnFolder(folder)
    let isKnown = try !SharedSpaces(folder: folder).entries.isEmpty
    guard isKnown || !words.isEmpty else {
      throw CommandFailure(
        2,
        "\(folder.onOneLine) shares nothing yet. Give the code that reunion bluetooth serve prints."
      )
    }
    guard !isKnown || words.isEmpty else {
      throw CommandFailure(
        2,
        "\(folder.onOneLine) shares a space already. Leave out the code to go on with it, or name another "
          + "folder with --folder.")
    }
    let sharing = try SpaceSharing(folder: folder, invocation)
    try sharing.resume()
    sharing.takeOffers(by: words.first.flatMap { Invitation($0) })
    if let code = words.first {
      _ = try await invocation.meet(code, sharing.bluetooth)
    } else {
      try await invocation.needRadio(sharing.bluetooth)
    }
    await invocation.tellFaults()
    try await sharing.stay(invocation)
  }
}

extension Invocation {
  /// The space that is named, or the only one that a store has.
  func space(in replica: Replica) throws -> SpaceID {
    let spaces = try replica.spaces
    let names = spaces.map(\.description).joined(separator: ", ")
    if let space {
      guard spaces.contains(space) else {
        throw CommandFailure(2, "The store has no space \(space). It has: \(names)")
      }
      return space
    }
    guard let only = spaces.first else {
      throw CommandFailure(1, "The store holds nothing yet. Write something in its app first.")
    }
    guard spaces.count == 1 else {
      throw CommandFailure(2, "The store has several spaces. Choose one with --space: \(names)")
    }
    return only
  }
}
