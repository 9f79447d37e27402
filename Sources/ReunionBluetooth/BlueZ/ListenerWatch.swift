#if os(Linux)
  import Dispatch
  import Glibc
  import ReunionDBus

  /// Watches the socket by which a device is told of new values: when BlueZ closes it, and when it has room
  /// again.
  ///
  /// Unchecked: confined to the queue.
  final class ListenerWatch: @unchecked Sendable {
    var whenEnded: () -> Void = {}
    var whenWritable: () -> Void = {}
    private let descriptor: BusDescriptor
    private let queue: DispatchQueue
    private let reading: any DispatchSourceRead
    private var writing: (any DispatchSourceWrite)?

    init(_ descriptor: BusDescriptor, queue: DispatchQueue) {
      self.descriptor = descriptor
      self.queue = queue
      reading = DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: queue)
      reading.setEventHandler { [weak self] in self?.read() }
      // The descriptor stays open while anything watches it.
      reading.setCancelHandler { withExtendedLifetime(descriptor) {} }
      reading.resume()
    }

    /// BlueZ says nothing here; it only closes it.
    private func read() {
      var byte: UInt8 = 0
      let count = recv(descriptor.number, &byte, 1, 0)
      guard count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) else { return }
      reading.cancel()
      whenEnded()
    }

    func waitUntilWritable() {
      guard writing == nil else { return }
      let descriptor = descriptor
      let source = DispatchSource.makeWriteSource(
        fileDescriptor: descriptor.number, queue: queue)
      source.setEventHandler { [weak self] in
        self?.writing?.cancel()
        self?.writing = nil
        self?.whenWritable()
      }
      source.setCancelHandler { withExtendedLifetime(descriptor) {} }
      writing = source
      source.resume()
    }

    deinit {
      reading.cancel()
      writing?.cancel()
    }
  }
#endif
