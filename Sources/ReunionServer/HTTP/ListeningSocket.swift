#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A socket that listens on exactly the given address.
///
/// ```swift
/// do {
///   let socket = try ListeningSocket(address: "127.0.0.1", port: 0)
///   print("Port \(socket.port) is ours.")
/// } catch {
///   print(error.code, error)    // portInUse: another program listens there …
/// }
/// ```
///
/// Clients may connect from now on, and wait until a server takes them. Released, it closes.
///
/// It keeps a spare descriptor. With it, a process that has run out of descriptors can still turn
/// clients away, and clients that it cannot accept do not wake it for ever.
///
/// *Thread*: one at a time, the server's: it is unchecked because the spare descriptor changes
/// there.
public final class ListeningSocket: @unchecked Sendable {
  let descriptor: Int32
  /// The address that it listens on, as it was given.
  public let address: String
  /// The port that it listens on, even if you asked for 0.
  public let port: UInt16
  private var spare: Int32

  /// Listens on a numeric address. `0.0.0.0` means every IPv4 address, `::` every address of both
  /// families; any other means only itself.
  ///
  /// - Throws: `ServerError`. `portInUse` if another program has the port; `addressUnavailable` if
  ///   the address is a name, or not this machine's. `notPermitted` if the port needs a privilege;
  ///   `noResources` if the system has no room.
  public init(address: String, port: UInt16) throws(ServerError) {
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address, "\(port)", &hints, &found) == 0, let first = found else {
      throw ServerError(
        .addressUnavailable, "\(address) is not a numeric address. Use one such as 127.0.0.1.")
    }
    defer { freeaddrinfo(found) }
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    descriptor = socket(first.pointee.ai_family, flags, 0)
    guard descriptor >= 0 else {
      throw ServerError(.noResources, "The system gave no socket for \(address).")
    }
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
    if first.pointee.ai_family == AF_INET6 {
      var isOnly: Int32 = address == "::" ? 0 : 1
      setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &isOnly, size)
    }
    guard bind(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0,
      listen(descriptor, SOMAXCONN) == 0
    else {
      let error = Self.explain(errno, address, port)
      close(descriptor)
      throw error
    }
    self.address = address
    self.port = Self.boundPort(descriptor) ?? port
    spare = open("/dev/null", O_RDONLY | O_CLOEXEC)
  }

  deinit {
    close(descriptor)
    if spare >= 0 { close(spare) }
  }

  /// Accepts one waiting client; `nil` if none waits.
  func accept() -> (descriptor: Int32, remoteAddress: String)? {
    while true {
      var address = sockaddr_storage()
      var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let accepted = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.accept(descriptor, $0, &size)
        }
      }
      if accepted >= 0 {
        // The event loop makes it non-blocking.
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        Self.set(TCP_NODELAY, of: accepted, to: 1)
        // Of an answer that its client does not take, the system holds no more than this and what the
        // client's own buffer has room for: what is on its way does not count.
        #if os(Linux)
          Self.set(TCP_NOTSENT_LOWAT, of: accepted, to: Self.unsentBytesMax)
        #endif
        return (accepted, Self.text(&address, size))
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EMFILE, ENFILE: guard turnOneAway() else { return nil }
      default: return nil
      }
    }
  }

  /// Bytes of a connection that the system holds before it sends them.
  private static let unsentBytesMax: Int32 = 64 << 10

  private static func set(_ option: Int32, of socket: Int32, to value: Int32) {
    var value = value
    setsockopt(socket, Int32(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Uses the spare descriptor to accept a client and close it at once.
  private func turnOneAway() -> Bool {
    guard spare >= 0 else { return false }
    close(spare)
    let client = Glibc.accept(descriptor, nil, nil)
    if client >= 0 { close(client) }
    spare = open("/dev/null", O_RDONLY | O_CLOEXEC)
    return client >= 0
  }

  private static func boundPort(_ descriptor: Int32) -> UInt16? {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    // The port is at the same place for both families.
    return status != 0
      ? nil
      : withUnsafeBytes(of: &address) {
        UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self))
      }
  }

  private static func text(_ address: inout sockaddr_storage, _ size: socklen_t) -> String {
    var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getnameinfo($0, size, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
      }
    }
    guard status == 0 else { return "unknown" }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.hasPrefix("::ffff:") && text.contains(".") ? String(text.dropFirst(7)) : text
  }

  private static func explain(_ code: Int32, _ address: String, _ port: UInt16) -> ServerError {
    switch code {
    case EADDRINUSE:
      ServerError(
        .portInUse,
        "Port \(port) is in use. Stop the other program, or choose another port.")
    case EACCES, EPERM:
      ServerError(
        .notPermitted, "Port \(port) needs a privilege. Choose one above 1023.")
    case EADDRNOTAVAIL:
      ServerError(.addressUnavailable, "\(address) is not an address of this machine.")
    default:
      ServerError(
        .noResources, "Listening on \(address), port \(port), failed (system error \(code)).")
    }
  }
}
