import Glibc

struct LaneError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Numbers that are the same for the same seed (SplitMix64).
struct SeededNumbers {
  var state: UInt64

  mutating func next(below limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return Int((value ^ value >> 31) % UInt64(limit))
  }
}

func address(of path: String) -> sockaddr_un {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
  return address
}

func connectTo(_ path: String) throws -> Int32 {
  let number = socket(
    AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  var address = address(of: path)
  let result = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  guard result == 0 else { throw LaneError("Nobody listens at \(path).") }
  return number
}

func send(_ bytes: [UInt8], to number: Int32) throws {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
    guard count > 0 else { throw LaneError("A packet of HCI could not be written.") }
    rest = rest.dropFirst(count)
  }
}

/// Reads until the other end is closed.
func forEachLine(of source: Int32, _ take: (String) -> Void) {
  var rest: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 4096)
  while true {
    let count = read(source, &buffer, buffer.count)
    guard count > 0 else { return }
    rest += buffer.prefix(count)
    while let end = rest.firstIndex(of: 10) {
      take(String(decoding: rest[..<end], as: UTF8.self))
      rest.removeSubrange(...end)
    }
  }
}

/// Milliseconds since the machine started.
func milliseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}

/// Starts a program; what it prints goes to these descriptors.
func spawn(_ words: [String], input: Int32? = nil, output: Int32? = nil, error: Int32? = nil) throws
  -> pid_t
{
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for case (let number?, let place) in [(input, Int32(0)), (output, 1), (error, 2)] {
    posix_spawn_file_actions_adddup2(&actions, number, place)
  }
  var arguments = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var id: pid_t = 0
  guard posix_spawnp(&id, words[0], &actions, nil, &arguments, environ) == 0 else {
    throw LaneError("\(words[0]) could not be started.")
  }
  return id
}
