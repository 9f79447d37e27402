#if os(Linux)
  import ReunionDesktop
  import ReunionFlow

  /// What callers of a radio on any thread must know at once: whether there is room for a value.
  final class BlueZShared: Sendable {
    private struct State {
      var valueBytesMax: [String: Int] = [:]
      /// Values without an answer that BlueZ has not taken yet, by device.
      var underWay: [String: Int] = [:]
      var hasRefused: Set<String> = []
      var listeners: [Listener: BusDescriptor] = [:]
    }

    /// A device that listens to a characteristic of ours.
    struct Listener: Hashable {
      var device: String
      var characteristic: BluetoothID
    }

    /// So many values without an answer are under way to BlueZ at a time: enough that it never waits.
    private static let underWayMax = 16
    private let state = Lock(State())

    func clear() { state.withLock { $0 = State() } }

    func valueBytesMax(_ device: String) -> Int {
      state.withLock { $0.valueBytesMax[device] ?? 20 }
    }

    func note(_ device: String, valueBytesMax: Int) {
      state.withLock { $0.valueBytesMax[device] = valueBytesMax }
    }

    // MARK: To devices that were connected to

    /// A device can be written to from now on, or no longer.
    func open(_ device: String) { state.withLock { $0.underWay[device] = 0 } }

    func close(_ device: String) {
      state.withLock { state in
        state.underWay[device] = nil
        state.hasRefused.remove(device)
      }
    }

    enum Room { case free, full, gone }

    func takeRoom(_ device: String) -> Room {
      state.withLock { state in
        guard let count = state.underWay[device] else { return .gone }
        guard count < Self.underWayMax else {
          state.hasRefused.insert(device)
          return .full
        }
        state.underWay[device] = count + 1
        return .free
      }
    }

    /// A value was taken; true if somebody waits for the room.
    func giveRoom(_ device: String) -> Bool {
      state.withLock { state in
        guard let count = state.underWay[device] else { return false }
        state.underWay[device] = max(0, count - 1)
        return state.hasRefused.remove(device) != nil
      }
    }

    // MARK: To devices that listen

    func listen(_ listener: Listener, _ descriptor: BusDescriptor?) {
      let old = state.withLock { state in
        let old = state.listeners[listener]
        state.listeners[listener] = descriptor
        return old
      }
      withExtendedLifetime(old) {}
    }

    func listener(_ listener: Listener) -> BusDescriptor? {
      state.withLock { $0.listeners[listener] }
    }
  }
#endif
