/// What a link is for.
public struct LinkPlan: Hashable, Sendable {
  /// The service by which the device is found again when the system has forgotten it.
  public var service: BluetoothID
  /// The characteristics of whose new values the program wants to be told.
  public var subscriptions: [BluetoothID]

  /// Makes a plan.
  public init(service: BluetoothID, subscriptions: [BluetoothID] = []) {
    self.service = service
    self.subscriptions = subscriptions
  }
}
