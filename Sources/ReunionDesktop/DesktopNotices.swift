public import Dispatch

/// Notifications of a Linux desktop, as its service `org.freedesktop.Notifications` shows them.
///
///     let notices = try DesktopNotices(of: "Screen time", queue: queue)
///     notices.show("5 minutes left", "Games end at 18:30.") { if let error = $0 { print(error) } }
///
/// *Source*: the Desktop Notifications Specification 1.2.
public final class DesktopNotices: Sendable {
  private let bus: Bus
  private let app: String

  /// Connects to the bus of the person who is logged in; `DBUS_SESSION_BUS_ADDRESS` names it.
  ///
  /// - Throws: `DesktopError` if there is no such bus.
  public init(of app: String, queue: DispatchQueue) throws(DesktopError) {
    self.app = app
    do {
      bus = try Bus(.session, queue: queue)
    } catch {
      throw DesktopError("This desktop's notifications cannot be reached: \(error).")
    }
  }

  /// Shows one: a heading and a sentence, both plain text. One that is urgent stays until somebody
  /// closes it.
  ///
  /// The closure is called once, on the queue, with nil as soon as the desktop has taken it.
  public func show(
    _ heading: String, _ text: String, isUrgent: Bool = false,
    _ done: @escaping @Sendable (DesktopError?) -> Void = { _ in }
  ) {
    let hints: [String: BusValue] = ["urgency": .byte(isUrgent ? 2 : 1)]
    // A service may read markup in the text.
    let plain = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    let call = BusCall(
      "org.freedesktop.Notifications", "/org/freedesktop/Notifications",
      "org.freedesktop.Notifications", "Notify",
      [
        .string(app), .uint32(0), .string(""), .string(heading), .string(plain), .strings([]),
        .properties(hints), .int32(-1),
      ])
    bus.call(call) { result in
      switch result {
      case .success: done(nil)
      case .failure(let error):
        done(DesktopError("This desktop shows no notifications: \(error)."))
      }
    }
  }
}
