import Foundation
import Reunion
import ScreenTimeBook

/// A text in the agent's folder, for its owner alone.
struct PrivateFile {
  let path: String

  /// What it holds; empty if there is none.
  var text: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

  /// Writes it whole.
  ///
  /// - Throws: `Failure`, where it cannot be written.
  func write(_ text: String) throws {
    let isMade = FileManager.default.createFile(
      atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
    guard isMade else {
      throw Failure("\(path) cannot be written. Choose another folder with --data.")
    }
  }

  /// The id of this device in a folder, made at its first start.
  ///
  /// - Throws: `Failure`, where it cannot be kept.
  static func device(in folder: String) throws -> RecordID {
    let file = PrivateFile(path: folder + "/device")
    if let id = RecordID(file.text.trimmingCharacters(in: .whitespacesAndNewlines)) { return id }
    let id = RecordID(of: "device", UUID().uuidString)
    try file.write("\(id)\n")
    return id
  }
}
