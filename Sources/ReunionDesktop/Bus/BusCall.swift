/// What is called: a method of an object that somebody has on the bus.
package struct BusCall: Sendable {
  /// The name on the bus: well known, or unique.
  package var destination: String
  /// The path of the object.
  package var path: String
  package var interface: String
  package var method: String
  package var arguments: [BusValue]
  /// How long to wait for an answer; nil: as long as it takes.
  package var limit: Duration?

  package init(
    _ destination: String, _ path: String, _ interface: String, _ method: String,
    _ arguments: [BusValue] = [], limit: Duration? = .seconds(25)
  ) {
    self.destination = destination
    self.path = path
    self.interface = interface
    self.method = method
    self.arguments = arguments
    self.limit = limit
  }

  /// Asks the bus itself.
  package static func ofBus(_ method: String, _ arguments: [BusValue] = []) -> BusCall {
    BusCall(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", method, arguments)
  }
}

/// Which signals are meant; nil is any.
package struct BusMatch: Sendable, Hashable {
  package var sender: String?
  package var path: String?
  package var interface: String?
  package var member: String?
  package var firstArgument: String?

  package init(
    sender: String? = nil, path: String? = nil, interface: String? = nil, member: String? = nil,
    firstArgument: String? = nil
  ) {
    self.sender = sender
    self.path = path
    self.interface = interface
    self.member = member
    self.firstArgument = firstArgument
  }

  /// As the bus wants it.
  var rule: String {
    var rule = "type='signal'"
    let parts = [
      ("sender", sender), ("path", path), ("interface", interface), ("member", member),
      ("arg0", firstArgument),
    ]
    for case (let key, let value?) in parts { rule += ",\(key)='\(value)'" }
    return rule
  }
}

/// A signal that came.
package struct BusSignal: Sendable {
  package let sender: String
  package let path: String
  package let interface: String
  package let member: String
  package let arguments: [BusValue]
}
