import Glibc

/// An open file or socket, which is closed when nobody has it any more.
package final class BusDescriptor: Sendable, Hashable {
  /// Its number.
  package let number: Int32

  /// Takes over an open descriptor.
  package init(owning number: Int32) { self.number = number }

  /// Makes another number for an open descriptor; nil when the process has no more.
  convenience init?(copying number: Int32) {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return nil }
    self.init(owning: copy)
  }

  deinit { close(number) }

  package static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(number) }

  /// Two ends of a connection that keeps messages apart; neither blocks. Nil when the process has no more.
  package static func pair(sendBytesMax: Int32) -> (BusDescriptor, BusDescriptor)? {
    var numbers: [Int32] = [0, 0]
    let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &numbers) == 0 else { return nil }
    var size = sendBytesMax
    for number in numbers {
      setsockopt(number, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    return (BusDescriptor(owning: numbers[0]), BusDescriptor(owning: numbers[1]))
  }

  /// What became of sending.
  package enum Sent: Sendable { case done, full, gone }

  /// Sends one message; nobody is told by a signal if the other end is gone.
  package func send(_ bytes: [UInt8]) -> Sent {
    while true {
      if Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) >= 0 { return .done }
      switch errno {
      case EINTR: continue
      case EAGAIN, ENOBUFS: return .full
      default: return .gone
      }
    }
  }
}
