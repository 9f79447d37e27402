import CSystemBus
import Dispatch

/// A call of a method of an object that this process has.
///
/// *Thread*: any. It is answered once; what nobody answers fails.
///
/// Unchecked: the message is touched on the queue alone.
package final class BusRequest: @unchecked Sendable {
  /// The unique name of the caller.
  package let sender: String
  package let path: String
  package let interface: String
  package let method: String
  package let arguments: [BusValue]
  private let message: OpaquePointer?
  private let connection: BusConnection

  init(_ message: OpaquePointer?, of connection: BusConnection) throws(BusError) {
    arguments = try MessageCoding.read(message)
    sender = BusConnection.text(sd_bus_message_get_sender(message))
    path = BusConnection.text(sd_bus_message_get_path(message))
    interface = BusConnection.text(sd_bus_message_get_interface(message))
    method = BusConnection.text(sd_bus_message_get_member(message))
    self.message = sd_bus_message_ref(message)
    self.connection = connection
  }

  /// Answers.
  package func reply(_ values: [BusValue] = []) {
    connection.queue.async { [self] in connection.reply(to: message, .success(values)) }
  }

  /// Refuses.
  package func fail(_ error: BusError) {
    connection.queue.async { [self] in connection.reply(to: message, .failure(error)) }
  }

  deinit {
    let (bits, connection) = (UInt(bitPattern: message), connection)
    connection.queue.async {
      let message = OpaquePointer(bitPattern: bits)
      connection.reply(to: message, .failure(BusError(BusError.failed, "Nobody answered.")))
      connection.forget(message)
      sd_bus_message_unref(message)
    }
  }
}
