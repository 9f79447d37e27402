import Foundation
import Glibc

/// Writes what the controllers and the kernel say to each other, for Wireshark or `btmon -r`.
///
/// `btmon -w` would do it too, but 5.66 breaks off at some packets, and it takes the processor's time.
/// *Source*: the format `btsnoop` of BlueZ's `doc/btsnoop.txt`.
final class Trace {
  private let file: Int32
  /// The microseconds from the year 0 to 1970.
  private static let epoch: UInt64 = 0x00DC_DDB3_0F2F_8000

  init(_ path: String) throws {
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw LaneError("\(path) cannot be written.") }
    // Version 1, of BlueZ's monitor.
    try send(Array("btsnoop\0".utf8) + Self.bytes(1) + Self.bytes(2001), to: file)
  }

  /// A controller is there.
  func begin(_ number: Int) {
    let address: [UInt8] = [0, 0, 0, 0, 0, 0]
    record(0, [0, 0] + address + Array("hci\(number)\0\0\0\0".utf8), number)
  }

  /// Notes a packet: commands, events and data, with their kind before them.
  func note(_ packet: [UInt8], isToKernel: Bool, _ number: Int) {
    switch packet.first {
    case 0x01: record(2, packet.dropFirst(), number)
    case 0x04: record(3, packet.dropFirst(), number)
    case 0x02: record(isToKernel ? 5 : 4, packet.dropFirst(), number)
    default: break
    }
  }

  private func record(_ kind: Int, _ content: some Collection<UInt8>, _ number: Int) {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let moment = Self.epoch + UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    let length = Self.bytes(content.count)
    let head = length + length + Self.bytes(number << 16 | kind) + Self.bytes(0)
    let stamp = Self.bytes(Int(moment >> 32)) + Self.bytes(Int(moment & 0xFFFF_FFFF))
    try? send(head + stamp + content, to: file)
  }

  private static func bytes(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
