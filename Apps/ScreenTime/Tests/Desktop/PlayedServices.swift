import Foundation
@testable import ReunionDesktop
@testable import ReunionFlow

/// Plays the login service and a desktop's notifications on a private bus.
final class PlayedServices: Sendable {
  static let session = "/org/freedesktop/login1/session/_37"

  let daemon: PrivateBus
  private let bus: Bus
  private let state = Lock<[String: BusValue]>([
    "LockedHint": .bool(false), "IdleHint": .bool(false), "Active": .bool(true),
  ])
  private let exports = Lock<[BusRegistration]>([])
  /// What was answered of the session.
  private let answered = Told<[String: BusValue]>()
  /// The headings and texts of the notifications that were shown.
  let notices = Told<String>()

  init() async throws {
    daemon = try PrivateBus()
    bus = try daemon.connect()
    let login = bus.export("/org/freedesktop/login1") { [weak self] in self?.answer($0) }
    let shown = bus.export("/org/freedesktop/Notifications") { [notices] request in
      guard request.method == "Notify", request.arguments.count == 8,
        let heading = request.arguments[3].asText, let text = request.arguments[4].asText,
        let urgency = request.arguments[6].asProperties?["urgency"]?.asInt
      else { return request.fail(BusError(BusError.invalidArguments, "That is no notice.")) }
      notices.append("\(heading) | \(text) | \(urgency)")
      request.reply([.uint32(1)])
    }
    exports.withLock { $0 = [login, shown] }
    for name in ["org.freedesktop.login1", "org.freedesktop.Notifications"] {
      _ = try await bus.call(.ofBus("RequestName", [.string(name), .uint32(4)]))
    }
  }

  private func answer(_ request: BusRequest) {
    switch (request.path, request.method) {
    case ("/org/freedesktop/login1/session/auto", "Get"): request.reply([.variant(.string("7"))])
    case ("/org/freedesktop/login1", "GetSession")
    where request.arguments == [.string("7")]:
      request.reply([.path(Self.session)])
    case (Self.session, "GetAll"):
      let now = state.withLock { $0 }
      request.reply([.properties(now)])
      answered.append(now)
    default: request.fail(BusError(BusError.unknownMethod, "It is not played."))
    }
  }

  /// The session changes: "LockedHint", "IdleHint" or "Active". Waits until the agent has asked, and was
  /// told: it would not hear of a state that was over before.
  func change(_ name: String, to value: Bool) async {
    state.withLock { $0[name] = .bool(value) }
    bus.emit(
      Self.session, "org.freedesktop.DBus.Properties", "PropertiesChanged",
      [
        .string("org.freedesktop.login1.Session"), .properties([name: .bool(value)]), .strings([]),
      ])
    while let state = await answered.next() { if state[name] == .bool(value) { return } }
  }

  /// The machine is about to sleep, or awake again.
  func prepareForSleep(_ begins: Bool) {
    bus.emit(
      "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep",
      [.bool(begins)])
  }
}
