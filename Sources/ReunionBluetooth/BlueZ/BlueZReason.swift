#if os(Linux)
  import ReunionDesktop

  /// What BlueZ's words mean.
  enum BlueZReason {
    /// What became of an attempt to connect that failed after so long: nil if it is connected already.
    ///
    /// BlueZ says "aborted by local" both when it has waited for about 40 s and when the attempt broke off.
    static func ofAttempt(_ error: BusError, after time: Duration) -> DisconnectReason? {
      let short = error.name.split(separator: ".").last.map(String.init) ?? ""
      switch short {
      case "UnknownObject", "UnknownMethod", "DoesNotExist": return .unknownDevice
      case "AlreadyConnected": return nil
      case "NoReply", "Timeout", "TimedOut": return .outOfRange
      case "AuthenticationFailed", "AuthenticationRejected", "AuthenticationCanceled":
        return .refused
      case "ServiceUnknown", "NameHasNoOwner", "Disconnected", "NotReady": return .unknown
      default: break
      }
      switch error.message {
      case "le-connection-already-connected", "br-connection-already-connected": return nil
      case "le-connection-refused": return .refused
      case "le-connection-timeout", "br-connection-page-timeout": return .outOfRange
      case "le-connection-abort-by-local" where time > .seconds(20): return .outOfRange
      default: return .notEstablished
      }
    }

    /// Whether an earlier attempt, perhaps of another program, is still under way.
    static func isUnderWay(_ error: BusError) -> Bool {
      error.name.hasSuffix(".InProgress") || error.message == "Operation already in progress"
        || error.message == "le-connection-busy"
    }

    /// Whether an error of a characteristic says that there is none at its place: BlueZ remembers it wrongly.
    ///
    /// Invalid handle is ATT's error 1. A characteristic that tells its value lets itself be subscribed to; where
    /// that is not permitted, something else is at its place.
    static func isGone(_ error: BusError, _ method: String) -> Bool {
      error.message == "Operation failed with ATT error: 0x01"
        || method == "StartNotify" && error.message == "Write not permitted"
    }

    /// The reason that BlueZ 5.83 and later gives; nil for one that says nothing.
    static func ofSignal(_ name: String) -> DisconnectReason? {
      switch name.split(separator: ".").last {
      case "Timeout": .outOfRange
      case "Local", "Suspend": .asked
      case "Remote": .leftOnPurpose
      case "Authentication": .keyLost
      default: nil
      }
    }

    /// The reason where BlueZ gives none: a connection that ends before its services are known was
    /// never really made. Of others nobody can say whether the device left or was lost.
    static func guess(isResolved: Bool) -> DisconnectReason {
      isResolved ? .unknown : .notEstablished
    }
  }
#endif
