import Foundation
import Reunion
import ReunionCore
import ReunionFlow
import ReunionStore
import Testing
import Waiting

@testable import ReunionServer

/// Resumable uploads as a phone sends them, over a real socket, into a real store (docs/protocol.md 3.3).
@Suite struct UploadTests {
  private final class Setup: Sendable {
    let folder: String
    let clock = TestClock()
    let store: Store
    let server: HTTPServer
    /// How often a whole file was looked at.
    let checks = Lock(0)
    let senders = Log<Sender>()

    init(
      in folder: String = "\(NSTemporaryDirectory())/uploads-\(UUID())",
      _ check: @escaping @Sendable () throws -> Void = {}
    ) throws {
      self.folder = folder
      store = try Store.open(folder: folder, model: Model(entities: Access.entities))
      let rules = UploadRules(
        byteCountMax: { _ in 1_000 },
        check: { [checks, senders] _, _, _, sender in
          try check()
          checks.withLock { $0 += 1 }
          senders.append(sender)
          return UploadFacts(width: 1, height: 1, contentType: "image/png")
        },
        stored: { _, _, _ in })
      let space = SpaceID(high: 7, low: 7)
      let spaces = ServedSpaces(
        space, in: store, access: try Access(to: space, in: store), name: { "Uploads" })
      let uploads = Uploads(
        folder: try UploadFolder(
          at: "\(folder)/uploads", guests: .all, now: Date().timeIntervalSince1970,
          blobPath: store.blobs.path),
        store: store, spaces: spaces, rules: rules, clock: clock, tell: { _ in },
        arrived: { _, _ in })
      let guest = Access.Device(number: 7, role: .add, isReplica: false, joined: Date())
      let other = Access.Device(number: 8, role: .add, isReplica: false, joined: Date())
      // An answer comes from a task, and other tests may keep its threads busy for long.
      var limits = HTTPLimits()
      limits.progressTimeout = .seconds(300)
      server = try HTTPServer(port: 0, limits: limits) { request in
        let device = request.header("X-Other") == nil ? guest : other
        return request.method == .post
          ? uploads.begin(request, by: device, in: spaces.first)
          : uploads.go(
            on: request, id: "\(request.path.raw.split(separator: "/")[1])", by: device,
            in: spaces.first)
      }
    }

    deinit {
      server.stop()
      try? store.close()
      try? FileManager.default.removeItem(atPath: folder)
    }

    func begin(
      _ bytes: [UInt8], byOther: Bool = false, use: UploadUse = .original
    ) throws -> Answer {
      let digest = Data(BlobHash(of: bytes).bytes).base64EncodedString()
      return try RawClient(port: server.port).ask(
        request(
          "POST", "/uploads?use=\(use.rawValue)",
          [
            "Upload-Length: \(bytes.count)", "Repr-Digest: sha-256=:\(digest):",
            "Content-Length: 0",
          ] + (byOther ? ["X-Other: yes"] : [])))
    }

    func append(
      _ bytes: ArraySlice<UInt8>, at offset: Int, to location: String, byOther: Bool = false,
      from address: String? = nil
    ) throws -> Answer {
      let client = try RawClient(port: server.port, from: address)
      client.send(
        request(
          "PATCH", location,
          ["Upload-Offset: \(offset)", "Content-Length: \(bytes.count)"]
            + (byOther ? ["X-Other: yes"] : [])))
      client.send(Array(bytes))
      return client.receiveAnswer()
    }
  }

  private let bytes = (0..<100).map { UInt8($0) }

  @Test func `bytes are here already for who sent them as the same, and for nobody else`()
    async throws
  {
    try await onThread {
      let setup = try Setup()
      let bytes = Array("a photo of which somebody else knows the hash".utf8)
      let begun = try setup.begin(bytes)
      let location = try #require(begun["Location"])
      #expect(try setup.append(bytes[...], at: 0, to: location).status == 200)
      let again = try setup.begin(bytes)
      #expect(again.status == 200)
      #expect(again.text.contains("image/png"))
      #expect(setup.checks.withLock { $0 } == 1)
      #expect(try setup.begin(bytes, use: .preview).status == 201)
      // Another one sends them all, and they are not looked at again for that.
      let others = try setup.begin(bytes, byOther: true)
      #expect(others.status == 201)
      let there = try #require(others["Location"])
      let sent = try setup.append(bytes[...], at: 0, to: there, byOther: true)
      #expect(sent.status == 200 && sent.text.contains("image/png"))
      #expect(try setup.begin(bytes, byOther: true).status == 200)
      #expect(setup.checks.withLock { $0 } == 1)
    }
  }

  @Test func `the sender of an upload is its device, on the network of its last part`()
    async throws
  {
    try await onThread {
      let setup = try Setup()
      for (byOther, address) in [(false, "127.0.0.1"), (true, "127.0.0.1"), (true, "127.0.0.2")] {
        let bytes = Array("\(byOther) \(address)".utf8)
        let location = try #require(try setup.begin(bytes, byOther: byOther)["Location"])
        _ = try setup.append(bytes[..<2], at: 0, to: location, byOther: byOther)
        let sent = try setup.append(
          bytes[2...], at: 2, to: location, byOther: byOther, from: address)
        #expect(sent.status == 200)
      }
      let senders = setup.senders.all
      #expect(senders.map(\.device) == [7, 8, 8])
      #expect(senders[0].network == senders[1].network && senders[1].network != senders[2].network)
    }
  }

  @Test func `goes on where it broke off, and is a blob when it is whole`() async throws {
    try await onThread {
      let setup = try Setup()
      let begun = try setup.begin(bytes)
      let location = try #require(begun["Location"])
      #expect(try setup.append(bytes[..<40], at: 0, to: location)["Upload-Offset"] == "40")
      let wrong = try setup.append(bytes[20...], at: 20, to: location)
      #expect(wrong.status == 409)
      #expect(wrong["Upload-Offset"] == "40")
      // A request that dies leaves what came.
      do {
        let client = try RawClient(port: setup.server.port)
        client.send(request("PATCH", location, ["Upload-Offset: 40", "Content-Length: 60"]))
        client.send(Array(bytes[40..<70]))
        try eventually("70 bytes are here") {
          let head = request("HEAD", location)
          return try ask(setup.server.port, head, hasBody: false)["Upload-Offset"] == "70"
        }
        let busy = try setup.append(bytes[70...], at: 70, to: location)
        #expect(busy.status == 409)
      }
      // Until the server has heard that the request is dead, the upload is busy.
      var last: Answer?
      try eventually("the rest is taken") {
        last = try setup.append(bytes[70...], at: 70, to: location)
        return last?.status == 200
      }
      #expect(last?["Upload-Complete"] == "?1")
      #expect(try setup.store.blobs.contains(BlobHash(of: bytes)))
      #expect(try ask(setup.server.port, request("HEAD", location), hasBody: false).status == 404)
      #expect(try setup.begin(bytes)["Upload-Complete"] == "?1")
    }
  }

  @Test func `what was damaged on its way begins again, and what cannot be stored now stays`()
    async throws
  {
    try await onThread {
      let fails = Lock(true)
      let setup = try Setup { if fails.withLock({ $0 }) { throw UploadError(507, "Full.") } }
      let begun = try setup.begin(bytes)
      let location = try #require(begun["Location"])
      #expect(try setup.append(bytes[...], at: 0, to: location).status == 507)
      fails.withLock { $0 = false }
      #expect(try setup.append([], at: 100, to: location).status == 200)

      let other = bytes.reversed() as [UInt8]
      let damaged = try #require(try setup.begin(other)["Location"])
      #expect(try setup.append(bytes[...], at: 0, to: damaged).status == 409)
      #expect(try ask(setup.server.port, request("HEAD", damaged), hasBody: false).status == 404)
      #expect(try !setup.store.blobs.contains(BlobHash(of: other)))
    }
  }

  @Test func `one whose server ended before its answer goes on, and sends nothing twice`()
    async throws
  {
    try await onThread {
      let before = try Setup { throw UploadError(507, "Full.") }
      // Its folder goes with it.
      defer { withExtendedLifetime(before) {} }
      let location = try #require(try before.begin(bytes)["Location"])
      #expect(try before.append(bytes[...], at: 0, to: location).status == 507)
      let stranger = try #require(try before.begin(bytes, byOther: true)["Location"])
      let hash = BlobHash(of: bytes)
      let path = { (location: String) in
        "\(before.folder)/uploads/\(location.split(separator: "/")[1])"
      }
      // What a kill leaves there: the file has its new name, and the store does not know it.
      let folder = try UploadFolder(
        at: "\(before.folder)/uploads", guests: .all, now: Date().timeIntervalSince1970,
        blobPath: before.store.blobs.path)
      try folder.noteWhole(String(location.split(separator: "/")[1]))
      let blob = before.store.blobs.path(of: hash)
      try FileManager.default.createDirectory(
        atPath: String(blob.dropLast(65)), withIntermediateDirectories: true)
      try FileManager.default.moveItem(atPath: "\(path(location)).part", toPath: blob)
      // Bytes that are gone are no proof that somebody had them.
      try FileManager.default.removeItem(atPath: "\(path(stranger)).part")
      before.server.stop()
      try before.store.close()

      let setup = try Setup(in: before.folder)
      let head = try ask(setup.server.port, request("HEAD", location), hasBody: false)
      #expect(head["Upload-Offset"] == "100")
      #expect(try ask(setup.server.port, request("HEAD", stranger), hasBody: false).status == 404)
      #expect(try setup.append([], at: 100, to: location).status == 200)
      #expect(try setup.store.blobs.read(hash, count: 200) == bytes)
      #expect(try setup.begin(bytes, byOther: true).status == 201)
    }
  }

  @Test func `the hash of an upload is that of its bytes, whatever of them it saw`() throws {
    let path = "\(NSTemporaryDirectory())/hash-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    try Data(bytes).write(to: URL(filePath: path))
    let expected = BlobHash(of: bytes)
    for seen in [[], [0..<3_000_000], [0..<100, 100..<2_000_000], [50..<100], [0..<9, 40..<90]] {
      let hash = UploadHash()
      for range in seen {
        bytes[range].withUnsafeBytes { hash.take($0, at: UInt64(range.lowerBound)) }
      }
      #expect(try hash.finish(path) == expected)
      #expect(try hash.finish(path) == expected)
      // One that begins anew forgets what it had.
      bytes[1...].withUnsafeBytes { hash.take($0, at: 0) }
      try Data(bytes[1...]).write(to: URL(filePath: path))
      #expect(try hash.finish(path) == BlobHash(of: Array(bytes[1...])))
      try Data(bytes).write(to: URL(filePath: path))
    }
    #expect(throws: UploadError.self) { try UploadHash().finish(path + "-is-not-there") }
  }

  @Test func `one that is given up, or left alone for a week, is forgotten with its files`()
    async throws
  {
    try await onThread {
      let setup = try Setup()
      let given = try #require(try setup.begin(bytes)["Location"])
      #expect(try ask(setup.server.port, request("DELETE", given)).status == 204)
      #expect(try ask(setup.server.port, request("HEAD", given), hasBody: false).status == 404)
      let left = try #require(try setup.begin(bytes)["Location"])
      let files = { try FileManager.default.contentsOfDirectory(atPath: "\(setup.folder)/uploads") }
      // They go when what came for them is written.
      try eventually("two files are there") { try files().count == 2 }
      setup.clock.advance(by: .seconds(UploadFolder.secondsMax))
      #expect(try ask(setup.server.port, request("HEAD", left), hasBody: false).status == 404)
      try eventually("no file is there") { try files().isEmpty }
    }
  }

  @Test func `requests at the same moment begin one upload`() throws {
    let setup = try Setup()
    let locations = Log<String>()
    for _ in 0..<16 {
      Thread.detachNewThread { [bytes] in
        locations.append((try? setup.begin(bytes)["Location"]) ?? "none")
      }
    }
    #expect(locations.wait(for: 16))
    #expect(Set(locations.all).count == 1 && !locations.all.contains("none"))
  }

  @Test func `sweeps its own files at a start, and leaves a person's alone`() throws {
    let path = "\(NSTemporaryDirectory())/uploads-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let abandoned = Secret.make(byteCount: 16)
    let theirs = ["notes.json", "film.part", "holiday.jpg", "\(abandoned).jpg", "short.new"]
    try FileManager.default.createDirectory(
      atPath: "\(path)/\(Secret.make(byteCount: 16)).part/more", withIntermediateDirectories: true)
    let folders = try FileManager.default.contentsOfDirectory(atPath: path)
    for name in theirs + ["part", "json", "new"].map({ "\(abandoned).\($0)" }) {
      try Data([1]).write(to: URL(filePath: "\(path)/\(name)"))
    }
    let now = Date().timeIntervalSince1970
    _ = try UploadFolder(at: path, guests: .all, now: now)
    let left = try FileManager.default.contentsOfDirectory(atPath: path)
    #expect(Set(left) == Set(theirs + folders))
    // One that is under way goes on after a start.
    let upload = Upload(
      id: Secret.make(byteCount: 16), hash: BlobHash(of: [1]).description, byteCount: 9,
      use: .original, device: 7, began: now)
    _ = try UploadFolder(at: path, guests: .all, now: now).begin(upload, countedAs: nil)
    #expect(try UploadFolder(at: path, guests: .all, now: now).find(upload.id) != nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == left.count + 2)
  }
}

extension GuestLedger {
  /// One that lets everything through, and keeps it nowhere.
  fileprivate static var all: GuestLedger {
    GuestLedger(
      file: "\(NSTemporaryDirectory())/no-ledger-\(UUID())",
      allowance: GuestAllowance(bytesPerDay: .max, uploadsPerDay: .max))
  }
}
