import Foundation

/// The address that a server was started with last, in its folder: what links begin with.
package enum ServerAddressFile {
  private static func file(in folder: String) -> URL {
    URL(filePath: folder).appending(path: "address")
  }

  /// Notes an address, such as `http://192.168.1.20:8080`.
  package static func write(_ address: String, in folder: String) throws {
    try Data((address + "\n").utf8).write(to: file(in: folder), options: .atomic)
  }

  /// The address; nil where no server was started on the folder.
  package static func read(in folder: String) -> String? {
    guard let text = try? String(contentsOf: file(in: folder), encoding: .utf8) else { return nil }
    let address = text.trimmingCharacters(in: .whitespacesAndNewlines)
    return address.isEmpty ? nil : address
  }
}
