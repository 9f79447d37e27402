import Glibc

/// Why something on the bus could not be done.
package struct BusError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The name of the error, such as `org.freedesktop.DBus.Error.AccessDenied`.
  package var name: String
  /// What its sender says to it.
  package var message: String

  package init(_ name: String, _ message: String) {
    self.name = name
    self.message = message
  }

  /// The error of a call to the system's library.
  init(code: Int32) {
    let number = abs(code)
    let name =
      switch number {
      case EACCES, EPERM: Self.accessDenied
      case ENOENT, ECONNREFUSED, ENOTCONN, ECONNRESET, EPIPE: Self.disconnected
      default: Self.failed
      }
    self.init(name, String(cString: strerror(number)))
  }

  package var description: String { message.isEmpty ? name : "\(name): \(message)" }

  private static let standard = "org.freedesktop.DBus.Error."
  package static let failed = standard + "Failed"
  package static let accessDenied = standard + "AccessDenied"
  /// There is no bus any more.
  package static let disconnected = standard + "Disconnected"
  package static let noReply = standard + "NoReply"
  /// Nobody has that name on the bus.
  package static let serviceUnknown = standard + "ServiceUnknown"
  package static let unknownObject = standard + "UnknownObject"
  package static let unknownMethod = standard + "UnknownMethod"
  package static let unknownProperty = standard + "UnknownProperty"
  package static let invalidArguments = standard + "InvalidArgs"
}
