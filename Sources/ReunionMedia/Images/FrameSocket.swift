#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Sends and receives frames, four bytes of length and then the bytes, over a connected socket.
///
/// For one thread at a time. Writing to a closed peer is an error and never a signal.
struct FrameSocket {
  enum Failure: Error, Hashable {
    case closed
    case timedOut
    case malformed
    /// The bytes to send could not be read.
    case unreadable
  }

  /// Owned by whoever made the socket.
  let descriptor: Int32

  /// Sends a frame; without `patience` it waits for ever.
  func send(_ frame: [UInt8], patience: Patience? = nil) throws(Failure) {
    var packer = Packer()
    packer.put(frame)
    try send(packer.bytes[...], patience: patience)
  }

  /// Sends bytes without their length.
  func send(_ bytes: ArraySlice<UInt8>, patience: Patience? = nil) throws(Failure) {
    var sent = 0
    while sent < bytes.count {
      try wait(for: POLLOUT, with: patience)
      let count = bytes.withUnsafeBytes { buffer in
        #if canImport(Glibc)
          Glibc.send(
            descriptor, buffer.baseAddress?.advanced(by: sent), bytes.count - sent,
            Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        #else
          Darwin.send(
            descriptor, buffer.baseAddress?.advanced(by: sent), bytes.count - sent,
            MSG_DONTWAIT)
        #endif
      }
      if count > 0 {
        sent += count
      } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
        throw .closed
      }
    }
  }

  /// Receives a frame of at most `bytesMax` bytes.
  func receive(bytesMax: Int, patience: Patience? = nil) throws(Failure) -> [UInt8] {
    var header = Unpacker(try read(4, patience: patience))
    guard let count = header.number(UInt32.self), Int(count) <= bytesMax else { throw .malformed }
    return try read(Int(count), patience: patience)
  }

  /// Receives bytes whose number the peer has said, into one piece of memory.
  func receive(exactly count: Int) throws(Failure) -> [UInt8] {
    var failure: Failure?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count, failure == nil {
        let rest = UnsafeMutableRawBufferPointer(
          UnsafeMutableBufferPointer(rebasing: buffer[filled..<count]))
        do throws(Failure) {
          filled += try receive(into: rest, patience: nil)
        } catch {
          failure = error
        }
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Whether the peer has gone, or has said something unasked.
  var isUnusable: Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return Self.poll(&poll, 0) != 0
  }

  private func read(_ count: Int, patience: Patience?) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: min(max(count, 1), 256 << 10))
    while bytes.count < count {
      let wanted = min(chunk.count, count - bytes.count)
      var received = 0
      var failure: Failure?
      chunk.withUnsafeMutableBytes { buffer in
        do throws(Failure) {
          received = try receive(
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), patience: patience)
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      bytes.append(contentsOf: chunk.prefix(received))
    }
    return bytes
  }

  /// How many bytes came, 0 where a signal did.
  private func receive(
    into buffer: UnsafeMutableRawBufferPointer, patience: Patience?
  ) throws(Failure) -> Int {
    try wait(for: POLLIN, with: patience)
    let received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    guard received == 0 || (received < 0 && errno != EINTR && errno != EAGAIN) else {
      return max(0, received)
    }
    throw .closed
  }

  private func wait(for event: Int32, with patience: Patience?) throws(Failure) {
    while true {
      let left = patience?.left()
      let timeout = left.map { Int32(clamping: $0 / 1_000_000 + 1) } ?? -1
      var poll = pollfd(fd: descriptor, events: Int16(event), revents: 0)
      let ready = Self.poll(&poll, timeout)
      if ready > 0 { return }
      if ready < 0, errno != EINTR { throw .closed }
      if left == 0 { throw .timedOut }
    }
  }

  private static func poll(_ descriptor: inout pollfd, _ timeout: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.poll(&descriptor, 1, timeout)
    #else
      Darwin.poll(&descriptor, 1, timeout)
    #endif
  }
}
