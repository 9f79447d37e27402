import CXScreen
import Glibc
import ScreenTimeCore

/// An X display: which program has the focus, and since when nobody touched anything.
///
/// Unchecked: it is confined to the agent's queue.
final class XScreen: @unchecked Sendable {
  private let screen: OpaquePointer
  /// The program of a process, by its number and the class of its window: it is read once.
  private var known: (process: UInt32, className: String, program: String)?

  /// Connects to a display, such as ":0"; nil if there is none.
  init?(_ display: String) {
    guard let screen = x_screen_open(display) else { return nil }
    self.screen = screen
  }

  deinit { x_screen_close(screen) }

  /// What to wait on for reading.
  var descriptor: Int32 { x_screen_descriptor(screen) }

  /// Whether the focus may have moved; nil where the display is gone.
  func drain() -> Bool? {
    let result = x_screen_drain(screen)
    return result < 0 ? nil : result > 0
  }

  /// The program in focus, and the milliseconds since the last input; nil where the display is
  /// gone.
  func look() -> (program: String, idle: Int64)? {
    var look = x_screen_look()
    guard x_screen_look_now(screen, &look) else { return nil }
    let idle = Int64(clamping: look.idle_milliseconds)
    guard look.has_window else { return ("", idle) }
    let className = Self.text(of: look.class_name)
    if let known, known.process == look.process, known.className == className, look.process != 0 {
      return (known.program, idle)
    }
    let program = ProgramName.of(
      executable: Self.executable(of: look.process), className: className,
      instance: Self.text(of: look.instance))
    known = (look.process, className, program)
    return (program, idle)
  }

  /// The file that a process runs; empty where this account may not know.
  private static func executable(of process: UInt32) -> String {
    guard process > 0 else { return "" }
    var path = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/\(process)/exe", &path, path.count)
    return count > 0
      ? String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
  }

  private static func text<Bytes>(of bytes: Bytes) -> String {
    withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
