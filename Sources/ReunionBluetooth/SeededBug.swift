/// A fault that is built in on purpose: the negative control of a test.
package enum SeededBug: Hashable, Sendable, CaseIterable {
  /// The sender is told that a message was taken before the program has it.
  case acknowledgedBeforeDelivery
  /// Credits that were used up are not given again.
  case windowNeverReopened
  /// A message that was cut off goes on a frame too early.
  case resumedFromWrongOffset
  /// A frame that came too early is taken as the next one.
  case reorderedFrameDelivered
  /// The counter of a session's key stands still.
  case nonceUsedTwice
  /// A session's key is never changed.
  case keyNeverChanged
  /// The limit of a step goes on after the step is over.
  case countdownOutlivesState
  /// The radio listens all the time for a device that is gone.
  case listensForever
  /// Who is looked for by an invitation is anybody who is verified.
  case anybodyIsInvited
  /// Known peers are not read at launch.
  case peerForgottenAtLaunch
}
