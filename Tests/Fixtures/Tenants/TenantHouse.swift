import Foundation
import ReunionCore
import ReunionFlow
import ReunionServer
import ReunionStore
import ReunionTesting

/// A server of several spaces, in one process with all that ask it, on virtual time.
///
/// Ids, stamps and tags come from whom a step is of, so that the attacker draws none of the others'.
/// *Thread*: one at a time, hence unchecked; a request is over when its answer is there.
final class TenantHouse: @unchecked Sendable {
  let clock = TestClock()
  let folder: String
  let bugs: SeededBugs
  private(set) var store: Store
  private(set) var spaces: ServedSpaces
  private(set) var server: Server
  private let stream = Lock(SeededRandom(seed: 0))
  private let lines = Lock<[TenantLine]>([])

  /// What a guest may bring in a day here: little, so that a story meets it.
  static let allowance = GuestAllowance(
    bytesPerDay: 200_000, uploadsPerDay: 40, recordBytesPerDay: 64_000, recordsPerDay: 60)
  static let requestsPerMinute = 60

  init(bugs: SeededBugs) throws {
    self.bugs = bugs
    let memory = "/dev/shm"
    let base = access(memory, W_OK) == 0 ? memory : NSTemporaryDirectory()
    folder = "\(base)/tenants-\(UUID())"
    store = try Self.open(folder, clock, stream, bugs)
    spaces = try ServedSpaces(in: store)
    server = try Self.serve(spaces, store, clock)
  }

  deinit {
    server.stop()
    try? store.close()
    try? FileManager.default.removeItem(atPath: folder)
    try? FileManager.default.removeItem(atPath: folder + "-uploads")
    try? FileManager.default.removeItem(atPath: folder + "-uploads.today.json")
  }

  private static func open(
    _ folder: String, _ clock: TestClock, _ stream: Lock<SeededRandom>, _ bugs: SeededBugs
  ) throws -> Store {
    var options = StoreOptions()
    options.wallMilliseconds = { clock.wallMilliseconds }
    options.random = { stream.withLock { $0.next() } }
    options.seededBugs = bugs
    // What it writes is lost with the process: nobody cuts the power here.
    options.durability = .normal
    return try Store.open(folder: folder, model: TenantModel.served, options: options)
  }

  private static func serve(
    _ spaces: ServedSpaces, _ store: Store, _ clock: TestClock
  ) throws -> Server {
    var configuration = Server.Configuration(
      listener: try ListeningSocket(address: "127.0.0.1", port: 0),
      uploadFolder: store.folder + "-uploads",
      rules: .files(bytesMax: 50_000, allowance: allowance), name: { "Tenants" },
      mayRead: { _ in true })
    configuration.notice = { _ in }
    configuration.requestsPerMinute = requestsPerMinute
    configuration.scheduling.clock = clock
    configuration.scheduling.execute = { work in _ = clock.schedule(at: clock.now, work) }
    configuration.scheduling.write = { $0() }
    let device = store.siteDevice
    configuration.rule = TransactionRule { transaction in
      transaction.device != device && transaction.writes.contains { $0.entity == 2 }
        ? "Scores are the server's word." : nil
    }
    configuration.routes = [
      AppRoute([.post], "grab", least: .view, bodyBytesMax: 1000) { asked in
        .respond(.text(200, "\(asked.body.count)"))
      }
    ]
    return try Server(spaces, in: store, configuration: configuration)
  }

  /// Has the server's ids come from here on.
  func draw(from seed: UInt64) { stream.withLock { $0 = SeededRandom(seed: seed) } }

  /// Ends the server, and starts it anew on what it had.
  func restart() throws {
    cutLines()
    clock.advance(by: .milliseconds(100))
    // Somebody may be back by now.
    cutLines()
    server.stop()
    try store.close()
    store = try Self.open(folder, clock, stream, bugs)
    spaces = try ServedSpaces(in: store)
    server = try Self.serve(spaces, store, clock)
  }

  private func cutLines() {
    for line in lines.withLock({ $0 }) { line.cut() }
    lines.withLock { $0 = [] }
  }

  // MARK: Requests

  struct Answer {
    let status: Int
    var headers = HTTPHeaders()
    var body: [UInt8] = []
    var line: TenantLine?

    var fields: [String: Any] {
      let object = try? JSONSerialization.jsonObject(with: Data(body))
      return object as? [String: Any] ?? [:]
    }
    /// What a person reads where it was refused.
    var sentence: String { fields["error"] as? String ?? "" }
  }

  /// The one that asks: its token, and its network.
  struct Asker {
    var token: String?
    let network: String
  }

  func ask(
    _ method: HTTPRequest.Method, _ target: String, by asker: Asker,
    _ headers: HTTPHeaders = [:], body: [UInt8] = []
  ) -> Answer {
    guard let request = request(method, target, by: asker, headers, body.count) else {
      return Answer(status: 400)
    }
    switch server.answer(request) {
    case .respond(let response): return Self.answer(.respond(response))
    case .file(let file): return Self.answer(.file(file))
    case .later(let begin): return waiting { begin($0) }
    case .receive(let receiver, let limit, _):
      guard UInt64(body.count) <= limit else { return Answer(status: 413) }
      return waiting { responder in
        receiver.began(responder)
        body.withUnsafeBytes { receiver.received($0) }
        receiver.finished()
      }
    case .webSocket(let accept):
      let line = TenantLine(clock: clock)
      lines.withLock { $0.append(line) }
      accept(WebSocketConnection(over: line, remoteAddress: asker.network))
      return Answer(status: 101, line: line)
    }
  }

  /// Begins a body that does not end; nil where the server does not take it.
  func hold(
    _ method: HTTPRequest.Method, _ target: String, by asker: Asker, bytes: Int
  ) -> (any BodyReceiver)? {
    guard let request = request(method, target, by: asker, [:], bytes),
      case .receive(let receiver, _, _) = server.answer(request)
    else { return nil }
    receiver.began(HTTPResponder { _ in })
    [UInt8](repeating: 1, count: 1).withUnsafeBytes { receiver.received($0) }
    return receiver
  }

  private func request(
    _ method: HTTPRequest.Method, _ target: String, by asker: Asker, _ more: HTTPHeaders,
    _ byteCount: Int
  ) -> HTTPRequest? {
    guard let path = RequestPath(target) else { return nil }
    var headers = more
    headers.set("Host", "127.0.0.1")
    if let token = asker.token { headers.set("Authorization", "Bearer \(token)") }
    if target.hasPrefix("/sync") {
      headers.set("Upgrade", "websocket")
    }
    return HTTPRequest(
      method, path, headers, bodyBytes: UInt64(byteCount), from: asker.network)
  }

  private func waiting(_ begin: (HTTPResponder) -> Void) -> Answer {
    let given = Lock<HTTPResponder.Given?>(nil)
    let isGiven = DispatchSemaphore(value: 0)
    begin(
      HTTPResponder { answer in
        given.withLock { $0 = answer }
        isGiven.signal()
      })
    isGiven.wait()
    return given.withLock { $0 }.map(Self.answer) ?? Answer(status: 500)
  }

  private static func answer(_ given: HTTPResponder.Given) -> Answer {
    switch given {
    case .respond(let response):
      Answer(status: response.status, headers: response.headers, body: response.body)
    case .file(let file):
      // A file that is announced and not there is no answer.
      Answer(
        status: FileManager.default.fileExists(atPath: file.path) ? 200 : 404,
        body: Array((FileManager.default.contents(atPath: file.path) ?? Data())))
    }
  }
}

extension Store {
  /// The device half of the sites under which it writes.
  var siteDevice: UInt64 { site.device }
}
