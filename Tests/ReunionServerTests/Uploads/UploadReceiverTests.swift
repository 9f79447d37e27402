import Dispatch
import Foundation
import ReunionFlow
import Testing

@testable import ReunionServer

/// Bytes that wait for a disk which does not take them yet: a queue that stands still until it is told to go on.
@Suite struct UploadReceiverTests {
  private let queue = DispatchQueue(label: "slow disk")
  private let path = "\(NSTemporaryDirectory())/receiver-\(UUID())"
  private let pieces = Log<Int>()
  private let released = Log<String>()

  private func server(limit: UInt64, limits: HTTPLimits = HTTPLimits()) throws -> HTTPServer {
    try HTTPServer(port: 0, limits: limits) { [queue, path, pieces, released] request in
      guard request.path.raw == "/file" else { return .collect(limitBytes: 10) { _, _ in } }
      let receiver = UploadReceiver(
        to: .init(path: path, limit: limit, isNew: true),
        on: { work in
          pieces.append(1)
          queue.async(execute: work)
        },
        tell: { _ in }, release: { released.append("broken off") }
      ) { responder in
        released.append("whole")
        responder.respond(.text(201, "whole"))
      }
      return .receive(receiver, limitBytes: 100 << 20, within: .seconds(300))
    }
  }

  private static func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  }

  @Test func `a sender is held back while the disk does not take what came, and all of it is kept`()
    throws
  {
    defer { unlink(path) }
    var limits = HTTPLimits()
    limits.progressTimeout = .seconds(3)
    let body = Self.bytes(32 << 20)
    let server = try server(limit: UInt64(body.count), limits: limits)
    queue.suspend()
    let client = try RawClient(port: server.port)
    client.send(request("PATCH", "/file", ["Content-Length: \(body.count)"]))
    let descriptor = client.descriptor
    Thread.detachNewThread {
      var sent = 0
      while sent < body.count {
        let count = body[sent...].withUnsafeBytes {
          send(descriptor, $0.baseAddress, min($0.count, 1 << 20), Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return }
        sent += count
      }
    }
    #expect(pieces.wait { !$0.isEmpty })
    // Somebody who is slow, and began later, is put out meanwhile.
    let slow = try RawClient(port: server.port)
    slow.send(request("PUT", "/slow", ["Content-Length: 10"]) + "abc")
    #expect(slow.isEnded)
    // Of 32 MiB, in pieces of at most 128 KiB, there would be 256.
    #expect((1..<10).contains(pieces.all.count))
    queue.resume()
    #expect(client.receiveAnswer().text == "whole")
    #expect(FileManager.default.contents(atPath: path).map(Array.init) == body)
  }

  @Test func `what came before a connection broke off is in the file before the upload goes on`()
    throws
  {
    defer { unlink(path) }
    let body = Self.bytes(40_000)
    let server = try server(limit: 1_000_000)
    queue.suspend()
    do {
      let client = try RawClient(port: server.port)
      client.send(request("PATCH", "/file", ["Content-Length: 1000000"]))
      client.send(body)
      #expect(pieces.wait { !$0.isEmpty })
    }
    #expect(released.all.isEmpty)
    queue.resume()
    #expect(released.wait { $0 == ["broken off"] })
    let kept = FileManager.default.contents(atPath: path).map(Array.init) ?? []
    #expect(kept == body)
  }

  @Test func `a disk that fails while the sender is held back is told, once`() throws {
    let body = Self.bytes(4 << 20)
    let server = try HTTPServer(port: 0) { [queue, released] _ in
      let receiver = UploadReceiver(
        to: .init(path: "/dev/full", limit: UInt64(body.count)),
        on: { queue.async(execute: $0) }, tell: { _ in },
        release: { released.append("broken off") }
      ) { _ in released.append("whole") }
      return .receive(receiver, limitBytes: 100 << 20, within: .seconds(300))
    }
    queue.suspend()
    let client = try RawClient(port: server.port)
    client.send(request("PATCH", "/file", ["Content-Length: \(body.count)"]))
    client.send(Array(body.prefix(500_000)))
    queue.resume()
    #expect(client.receiveAnswer().status == 507)
    #expect(released.wait { $0 == ["broken off"] })
  }
}
