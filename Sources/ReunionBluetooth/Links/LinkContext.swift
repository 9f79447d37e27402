/// The context of a link's states: its device, and what has gone wrong so far.
public struct LinkContext: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// Whether there is a greeting before it is ready.
  public var hasGreeting: Bool
  /// How often it was lost, or not reached, since it was ready or seen last.
  public var losses: Int
  /// How often in a row a step after connecting failed.
  public var faults: Int

  /// Makes the context of a link that begins.
  public init(_ device: DeviceID, hasGreeting: Bool, losses: Int = 0, faults: Int = 0) {
    self.device = device
    self.hasGreeting = hasGreeting
    self.losses = losses
    self.faults = faults
  }
}
