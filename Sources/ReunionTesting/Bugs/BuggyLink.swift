#if SEEDED_BUGS
  package import ReunionCore
  import ReunionStore
  package import ReunionSync

  /// A link under a session that uses it wrongly: where the seeded bugs of sessions sit that show in what
  /// they say and hear.
  package final class BuggyLink: Link {
    /// The bugs that it knows.
    static let bugs: SeededBugs = [
      .pongsNotSent, .linkLimitIgnored, .drainNotNoticed, .laterBlobNotHeard, .lackedBlobBlocks,
    ]

    private let link: any Link
    private let bugs: SeededBugs

    private init(_ link: any Link, _ bugs: SeededBugs) { (self.link, self.bugs) = (link, bugs) }

    /// The link with these bugs; the link itself if none of them is about links.
    package static func over(_ link: any Link, _ bugs: SeededBugs) -> any Link {
      bugs.isDisjoint(with: Self.bugs) ? link : BuggyLink(link, bugs)
    }

    package func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) {
      link.start { [self] event in if isNoticed(event) { deliver(event) } }
    }

    private func isNoticed(_ event: LinkEvent) -> Bool {
      switch event {
      case .drained: return !bugs.drainNotNoticed
      case .received(let bytes):
        switch try? Message(decoding: bytes) {
        case .have?: return !bugs.laterBlobNotHeard
        case .lack?: return !bugs.lackedBlobBlocks
        default: return true
        }
      case .opened, .closed: return true
      }
    }

    package func send(_ message: [UInt8]) {
      if bugs.pongsNotSent, case .pong? = try? Message(decoding: message) { return }
      link.send(message)
    }

    package var messageBytesMax: Int {
      bugs.linkLimitIgnored ? Message.bytesMax : link.messageBytesMax
    }

    package var queuedBytes: Int { link.queuedBytes }

    package var queuedBlobBytes: Int { link.queuedBlobBytes }

    package func pauseReceiving(_ isPaused: Bool) { link.pauseReceiving(isPaused) }

    package func close() { link.close() }
  }
#endif
