#if SEEDED_BUGS
  package import ReunionCore

  extension SeededBug {
    /// The sender is told that a message was taken before the program has it.
    package static var acknowledgedBeforeDelivery: Self { Self() }
    /// Credits that were used up are not given again.
    package static var windowNeverReopened: Self { Self() }
    /// A message that was cut off goes on a frame too early.
    package static var resumedFromWrongOffset: Self { Self() }
    /// A frame that came too early is taken as the next one.
    package static var reorderedFrameDelivered: Self { Self() }
    /// The counter of a session's key stands still.
    package static var nonceUsedTwice: Self { Self() }
    /// A session's key is never changed.
    package static var keyNeverChanged: Self { Self() }
    /// The limit of a step goes on after the step is over.
    package static var countdownOutlivesState: Self { Self() }
    /// The radio listens all the time for a device that is gone.
    package static var listensForever: Self { Self() }
    /// A search by an invitation accepts anybody who is verified.
    package static var anybodyIsInvited: Self { Self() }
    /// Known peers are not read at launch.
    package static var peerForgottenAtLaunch: Self { Self() }
    /// When BlueZ has restarted, the services that it had before are taken for registered.
    package static var servesAsBefore: Self { Self() }
  }
#endif
