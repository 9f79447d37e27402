import Glibc
import ReunionCore
import ScreenTimeCore

/// The clocks of this machine, and the zone of this process, which whoever starts it may set.
struct MachineClocks: Sendable {
  private let bootID: UInt64

  init() {
    var bytes = [UInt8](repeating: 0, count: 64)
    let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    let count = file < 0 ? 0 : max(0, Glibc.read(file, &bytes, 64))
    if file >= 0 { close(file) }
    bootID = SHA256.hash(Array(bytes[..<count])).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A heartbeat, now, in the family's zone if there is one.
  func beat(program: String, idle: Int64, isLocked: Bool, in zone: FamilyZone? = nil) -> Beat {
    let (awake, wall, boot) = Self.readAll()
    return Beat(
      wall: wall, awake: awake, boot: boot, bootID: bootID,
      offset: zone?.offset(at: wall) ?? Self.offset, program: program, idle: idle,
      isLocked: isLocked)
  }

  /// All at one moment: where others had the processor in between, they would seem to differ by a sleep.
  private static func readAll() -> (awake: Int64, wall: Int64, boot: Int64) {
    while true {
      let awake = read(CLOCK_MONOTONIC)
      let (wall, boot) = (read(CLOCK_REALTIME), read(CLOCK_BOOTTIME))
      if read(CLOCK_MONOTONIC) - awake < 100 { return (awake, wall, boot) }
    }
  }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Seconds east of UTC, also after the zone was changed.
  static var offset: Int {
    tzset()
    var now = time(nil)
    var parts = tm()
    localtime_r(&now, &parts)
    return parts.tm_gmtoff
  }
}
