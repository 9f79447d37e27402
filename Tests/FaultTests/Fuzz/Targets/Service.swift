import Foundation
import Glibc
import ReunionCore
import ReunionStore

@testable import ReunionServer

/// A whole server, over real sockets: heads, bodies of joins and uploads, frames and what is in them.
extension FuzzTarget {
  /// Stands in a sample for the token of a guest.
  private static let token = "TOKEN-OF-A-GUEST"

  private final class Site: Sendable {
    let folder = Scratch.folder()
    let port: UInt16
    private let store: Store
    private let server: Server
    private let secret: String

    init() throws {
      store = try Store.open(
        folder: folder.appending(path: "store").path,
        model: Model(entities: Access.entities + model.entities))
      let access = try Access(to: space, in: store)
      let socket = try ListeningSocket(address: "127.0.0.1", port: 0)
      port = socket.port
      let rules = UploadRules(
        byteCountMax: { _ in 100_000 },
        check: { _, _, _, _ in UploadFacts(width: 1, height: 1, contentType: "image/png") },
        stored: { _, _, _ in })
      server = try Server(
        space, in: store, access: access,
        configuration: .init(
          listener: socket, uploadFolder: folder.appending(path: "uploads").path, rules: rules,
          name: { "Fuzz" }, mayRead: { _ in true }))
      // A guest would be told to wait.
      secret = try access.join(secret: access.invite(.edit), isReplica: true).token
      try server.start()
    }

    deinit {
      server.stop()
      try? store.close()
      try? FileManager.default.removeItem(at: folder)
    }

    func hear(_ bytes: [UInt8]) throws {
      var said = Data(bytes)
      if let place = said.range(of: Data(FuzzTarget.token.utf8)) {
        said.replaceSubrange(place, with: Data(secret.utf8))
      }
      _ = try answer(to: Array(said))
      let health = [UInt8]("GET /health HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
      let told = try answer(to: health, isWhole: true)
      try FuzzTarget.require(
        String(decoding: told, as: UTF8.self).hasPrefix("HTTP/1.1 200"),
        "The server is not well: \(String(decoding: told, as: UTF8.self))")
    }

    /// What comes back, until the server ends the connection, or is silent where it need not.
    private func answer(to bytes: [UInt8], isWhole: Bool = false) throws -> [UInt8] {
      let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      defer { close(client) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      let isThere = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      guard isThere else { throw Finding("the server takes no connection") }
      var wait = timeval(tv_sec: isWhole ? 25 : 0, tv_usec: isWhole ? 0 : 5_000)
      setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
      _ = bytes.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      var (all, part) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
      while all.count < 1 << 16 {
        let count = recv(client, &part, part.count, 0)
        guard count > 0 else { break }
        all += part[..<count]
      }
      return all
    }
  }

  static let httpServer = FuzzTarget(
    name: "http-server", inputsInFull: 20_000, inputsPerReader: 2_000, bytesMax: 32 << 10,
    words: fields + [
      "Authorization: Bearer \(token)\r\n", "{\"invite\":", "null", "[[[[", "\\u0000",
    ],
    samples: {
      let bytes = [UInt8](0...99)
      let digest = Data(BlobHash(of: bytes).bytes).base64EncodedString()
      func ask(_ line: String, _ rest: String..., body: [UInt8] = []) -> [UInt8] {
        let head =
          "\(line) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n"
          + "Content-Length: \(body.count)\r\n" + rest.map { $0 + "\r\n" }.joined() + "\r\n"
        return [UInt8](head) + body
      }
      let upgrade = [
        "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      ].joined(separator: "\r\n")
      let speech: [Message] = [
        .hello(
          Hello(
            space: space, site: .init(device: 1, incarnation: 1), isLeaf: true, seq: 0)),
        .pull(Pull(position: [], vector: VersionVector())), .ping(7),
        .pushEnd(PushEnd(cursor: 1, position: [], raised: [])),
      ]
      return heads.map { [UInt8]($0) } + [
        ask("POST /join", body: [UInt8]("{\"invite\":\"abc\",\"replica\":true}")),
        ask("POST /uploads?use=original", "Upload-Length: 100", "Repr-Digest: sha-256=:\(digest):"),
        ask("PATCH /uploads/0123456789abcdef", "Upload-Offset: 0", body: bytes),
        ask("GET /session") + ask("GET /health") + ask("GET /model.json"),
        ask("GET /blobs/\(BlobHash(of: bytes))?name=a.jpg", "Range: bytes=0-9"),
        ask("POST /join/picture", body: bytes),
        ask("GET /sync?space=\(space)", upgrade)
          + speech.flatMap { frame(2, $0.encoded()) } + frame(8, [3, 232]),
      ]
    }
  ) {
    let site = try Site()
    return { try site.hear($0) }
  }
}
