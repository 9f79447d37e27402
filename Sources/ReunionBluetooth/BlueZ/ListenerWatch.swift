#if os(Linux)
  import Dispatch
  import Glibc
  import ReunionDesktop

  /// Watches the socket by which a device is told of new values: when BlueZ closes it, and when it has room
  /// again.
  ///
  /// Unchecked: confined to the queue.
  final class ListenerWatch: @unchecked Sendable {
    var whenEnded: () -> Void = {}
    var whenWritable: () -> Void = {}
    private let descriptor: BusDescriptor
    private let reading: any DispatchSourceRead
    private let writing: any DispatchSourceWrite
    private var isWaiting = false

    init(_ descriptor: BusDescriptor, queue: DispatchQueue) {
      self.descriptor = descriptor
      reading = DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: queue)
      writing = DispatchSource.makeWriteSource(fileDescriptor: descriptor.number, queue: queue)
      reading.setEventHandler { [weak self] in self?.read() }
      writing.setEventHandler { [weak self] in self?.write() }
      // The descriptor stays open while anything watches it.
      reading.setCancelHandler { withExtendedLifetime(descriptor) {} }
      writing.setCancelHandler { withExtendedLifetime(descriptor) {} }
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
      guard !isWaiting else { return }
      isWaiting = true
      writing.resume()
    }

    /// It rests again. To make a source anew for each wait is what libdispatch does not always survive on Linux.
    private func write() {
      isWaiting = false
      writing.suspend()
      whenWritable()
    }

    deinit {
      reading.cancel()
      writing.cancel()
      // A source that rests can be neither ended nor released.
      if !isWaiting { writing.resume() }
    }
  }
#endif
