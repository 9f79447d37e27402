import Foundation
import ReunionCore
import ReunionStore
import Testing

@testable import ReunionServer

/// Errors look alike on every route: a status, `{"error": SENTENCE}`, and nothing of the host's machine
/// (docs/protocol.md 3.7).
@Suite struct ErrorAnswerTests {
  /// A server whose every part that an app gives fails as parts do, with a real error of a store that
  /// names the folder.
  private static func house() throws -> RouteHouse {
    try RouteHouse { configuration, folder in
      let fail: @Sendable () throws -> Void = {
        _ = try Store.open(existing: folder + "/gone", options: StoreOptions())
      }
      configuration.renewInvitation = fail
      configuration.readCodes = { _ in
        try fail()
        return []
      }
      configuration.rules = UploadRules(
        byteCountMax: { _ in 1_000 },
        check: { _, _, _, _ in
          try fail()
          return UploadFacts(width: 1, height: 1, contentType: "image/png")
        }, stored: { _, _, _ in })
      configuration.routes = AppRouteTests.routes(fail)
    }
  }

  /// What is wrong with the answer to a request that was not done; nil for one like all others.
  static func flaw(of answer: Answer, isHead: Bool = false, hiding folder: String) -> String? {
    guard answer["Content-Type"] == "application/json" else { return "It is no JSON." }
    guard answer["Cache-Control"] == "no-store" else { return "It is kept." }
    guard !isHead else { return answer["Content-Length"] == "0" ? "It has no length." : nil }
    guard let fields = try? JSONDecoder().decode([String: String].self, from: Data(answer.body)),
      let sentence = fields["error"]
    else { return "It has no sentence: \(answer.text)" }
    guard Set(fields.keys).isSubset(of: ["error", "verdict", "standing"]) else {
      return "It tells more: \(answer.text)"
    }
    guard sentence.hasSuffix("."), sentence.first?.isUppercase == true else {
      return "\(sentence) is no sentence."
    }
    let names = [
      folder, String(folder.split(separator: "/").last ?? ""), "store.sqlite", "StoreError",
    ]
    return names.first(where: answer.text.contains).map { "It names \($0)." }
  }

  /// Asks, and expects that status in the form of all errors.
  private func expect(
    _ status: Int, _ house: RouteHouse, _ method: HTTPRequest.Method, _ path: String,
    _ token: String?, _ fields: [String] = [], body: String = ""
  ) throws {
    let answer = try house.ask(method, path, token, fields, body: body)
    let what = "\(method) \(path) \(fields) \(body.prefix(20))"
    #expect(answer.status == status, "\(what): \(answer.text)")
    let flaw = Self.flaw(of: answer, isHead: method == .head, hiding: house.folder)
    #expect(flaw == nil, "\(what)")
  }

  private static func rows() -> [Route.Row] {
    Route.allCases.map(\.row) + AppRouteTests.routes({}).map(\.row)
  }

  @Test func `whoever may not ask is told so alike on every route`() async throws {
    try await onThread {
      let house = try Self.house()
      for row in Self.rows() {
        guard let least = row.least else { continue }
        for method in row.methods {
          for path in row.paths.map({ "/" + $0.replacing("*", with: "00") }) {
            for token in [nil, "", "no-token", String(repeating: "A", count: 43)] {
              try expect(401, house, method, path, token)
            }
            for role in Role.allCases where role < least {
              try expect(403, house, method, path, house.tokens[role])
            }
            if method != .get, method != .head {
              try expect(
                403, house, method, path, house.tokens[.admin], ["Origin: http://evil.example"])
            }
            try expect(404, house, method, path + "?space=00", house.tokens[.admin])
          }
        }
      }
    }
  }

  private typealias Malformed = (
    method: HTTPRequest.Method, path: String, fields: [String], body: String, status: Int
  )

  /// What a route cannot do, asked by who may ask it: a new route has to say what that is.
  private static func malformed(_ route: Route) -> [Malformed] {
    let hash = String(repeating: "0", count: 64)
    return switch route {
    case .health, .model, .session, .signOut, .invitation, .devices: []
    case .join:
      [
        (.post, "/join", [], "", 400), (.post, "/join", [], "{", 400),
        (.post, "/join", [], "{\"invite\":7}", 400), (.post, "/join", [], "\u{ff}[", 400),
        (.post, "/join", [], "{\"invite\":\"no\"}", 401),
        (.post, "/join", [], String(repeating: "x", count: 5_000), 413),
      ]
    // This server has no persons.
    case .pair: [(.post, "/pair", [], "{", 404)]
    case .ownSpace: [(.post, "/own", [], "{", 404)]
    case .pairingLink: [(.post, "/pairing-link", [], "{", 404)]
    case .person: [(.get, "/person", [], "", 404)]
    case .removeOwnDevice: [(.delete, "/person/zz", [], "", 404)]
    case .joinByPicture:
      [
        (.post, "/join/picture", [], "", 404), (.post, "/join/picture", [], "no picture", 404),
        (.post, "/join/picture", [], "RIFF....WEBPVP8 ", 415),
      ]
    case .pages: [(.get, "/nothing", [], "", 404), (.head, "/nothing", [], "", 404)]
    case .block: [(.get, "/block?space=zz", [], "", 404)]
    case .sync: [(.get, "/sync", [], "", 426), (.get, "/sync?space=zz", [], "", 404)]
    case .blob:
      [
        (.get, "/blobs/zz", [], "", 404), (.get, "/blobs/\(hash)", [], "", 404),
        (.head, "/blobs/\(hash)", [], "", 404),
      ]
    case .beginUpload:
      [
        (.post, "/uploads", [], "", 400),
        (.post, "/uploads?use=other", ["Upload-Length: 1", digest("")], "", 400),
        (.post, "/uploads", ["Upload-Length: -1", digest("")], "", 400),
        (.post, "/uploads", ["Upload-Length: 0", digest("")], "", 422),
        (.post, "/uploads", ["Upload-Length: 1001", digest("")], "", 413),
      ]
    case .upload:
      [HTTPRequest.Method.head, .patch, .delete].map { ($0, "/uploads/none", [], "", 404) }
    case .ownerLink:
      [
        (.post, "/owner-link", [], "{", 400), (.post, "/owner-link", [], "{\"uses\":2}", 400),
        (.post, "/owner-link", [], String(repeating: " ", count: 300), 413),
      ]
    case .guestsLink: [(.post, "/guests-link", [], "", 500)]
    case .removeDevice:
      [
        (.delete, "/devices/zz", [], "", 404),
        (.delete, "/devices/" + hash.prefix(16), [], "", 404),
      ]
    case .eraseRecord:
      [(.delete, "/records/none/\(hash)", [], "", 404), (.delete, "/records/none/zz", [], "", 404)]
    }
  }

  private static func digest(_ text: String) -> String {
    "Repr-Digest: sha-256=:\(Data(SHA256.hash(Array(text.utf8))).base64EncodedString()):"
  }

  @Test(arguments: Route.allCases) func `what makes no sense is told alike`(route: Route)
    async throws
  {
    try await onThread {
      let house = try Self.house()
      let token = route.row.least == nil ? nil : house.tokens[.admin]
      for asked in Self.malformed(route) {
        try expect(
          asked.status, house, asked.method, asked.path, token, asked.fields, body: asked.body)
      }
    }
  }

  @Test func `what an upload lacks, and what fails in it, is told alike`() async throws {
    try await onThread {
      let house = try Self.house()
      let token = house.tokens[.add]
      func begin() throws -> String {
        let begun = try house.ask(
          .post, "/uploads", token, ["Upload-Length: 4", Self.digest("text")])
        #expect(begun.status == 201)
        return try #require(begun["Location"])
      }
      let path = try begin()
      try expect(400, house, .patch, path, token)
      try expect(409, house, .patch, path, token, ["Upload-Offset: 3"], body: "t")
      try expect(413, house, .patch, path, token, ["Upload-Offset: 0"], body: "texts")
      try expect(404, house, .patch, path, house.tokens[.edit], ["Upload-Offset: 0"], body: "text")
      // What broke off is over once its bytes are written.
      while try house.ask(.patch, path, token, ["Upload-Offset: 3"], body: "t").text
        .contains("already going on")
      {}
      let damaged = try house.ask(.patch, path, token, ["Upload-Offset: 0"], body: "tent")
      #expect(damaged.status == 409 && damaged.text.contains("was damaged on its way"))
      #expect(house.told.all.isEmpty)
      try expect(500, house, .patch, try begin(), token, ["Upload-Offset: 0"], body: "text")
      #expect(house.told.all.contains { $0.contains(house.folder) })
    }
  }

  @Test func `a range that is not there is told alike`() async throws {
    try await onThread {
      let house = try Self.house()
      let blob = try house.store.blobs.add(Array("text".utf8))
      try expect(416, house, .get, "/blobs/\(blob.hash)", house.tokens[.admin], ["Range: bytes=4-"])
    }
  }

  @Test func `what fails inside is told in general, and the host is told what it was`() async throws
  {
    try await onThread {
      let house = try Self.house()
      let admin = house.tokens[.admin]
      try expect(500, house, .post, "/guests-link", admin)
      #expect(house.told.all.count == 1 && house.told.all.allSatisfy { $0.contains(house.folder) })
      let device = try #require(house.access.devices().first?.number)
      try expect(500, house, .delete, "/devices/\(Access.text(of: device))?guests-link=new", admin)
      #expect(house.told.all.count == 2)
      #expect(house.access.devices().contains { $0.number == device })
      try expect(500, house, .get, "/app/failing", admin)
      #expect(house.told.all.count == 3 && house.told.all.allSatisfy { $0.contains(house.folder) })
      // A picture that cannot be read is the picture's fault as far as a stranger can tell.
      try expect(404, house, .post, "/join/picture", nil, body: "\u{89}PNG\r\n")
    }
  }

  @Test func `a store that fails is told alike on every route`() async throws {
    try await onThread {
      let house = try Self.house()
      let admin = try #require(house.tokens[.admin])
      let guest = try #require(house.tokens[.add])
      let device = try #require(house.access.devices().first?.number)
      let secret = try house.access.invite(.add)
      try house.store.close()
      try expect(500, house, .post, "/join", nil, body: "{\"invite\":\"\(secret)\"}")
      try expect(500, house, .post, "/owner-link", admin)
      try expect(500, house, .delete, "/devices/\(Access.text(of: device))", admin)
      try expect(500, house, .delete, "/session", guest)
      #expect(house.told.all.count >= 4)
      for token in [nil, guest, admin] {
        let health = try house.ask(.get, "/health", token)
        #expect(health.status == 503 && health.text.contains("\"status\":\"failing\""))
        #expect(health.text.contains("\"error\":\"The server cannot read its store."))
        #expect(!health.text.contains(house.folder))
      }
    }
  }

  @Test func `an answer of another form is seen (negative control)`() {
    let json =
      "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n"
    func flaw(_ body: String, _ head: String = json) -> String? {
      Self.flaw(of: Answer(head: head, body: Array(body.utf8)), hiding: "/data/house")
    }
    #expect(flaw("{\"error\":\"It is so.\"}") == nil)
    #expect(flaw("{\"error\":\"It is so.\"}", "HTTP/1.1 400 Bad Request\r\n") != nil)
    for body in [
      "", "It is so.", "{}", "{\"error\":7}", "{\"error\":\"so\"}", "{\"message\":\"It is so.\"}",
      "{\"error\":\"It is so.\",\"file\":\"x\"}", "{\"error\":\"Look into /data/house/x.\"}",
      "{\"error\":\"It cannot open store.sqlite.\"}",
    ] {
      #expect(flaw(body) != nil, "\(body)")
    }
  }
}
