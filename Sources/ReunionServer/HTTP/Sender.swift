/// A device and the network that it asks from, for taking turns at what costs much.
///
/// ```swift
/// import ReunionMedia
/// import ReunionServer
///
/// func rules(_ renderer: ImageRenderer) -> UploadRules {
///   var rules = UploadRules.files(bytesMax: 20_000_000)
///   rules.check = { path, _, _, sender in
///     let image = try await renderer.render(
///       path, longEdges: [320], by: sender.device, in: sender.network)
///     return UploadFacts(
///       width: image.width, height: image.height, contentType: image.format.contentType)
///   }
///   return rules
/// }
/// ```
///
/// A device costs nobody anything, a network does: where networks take turns, nobody gets more by joining
/// under many devices.
public struct Sender: Hashable, Sendable {
  /// The number of the device.
  public let device: UInt64
  /// A number for the network, of an IPv6 address its /64. It says nothing of the address, and is another one
  /// once the program starts anew.
  public let network: UInt64

  /// A device, and a network; 0 stands for work that the server does by itself.
  public init(device: UInt64, network: UInt64 = 0) {
    self.device = device
    self.network = network
  }

  /// A device that asks from this address.
  init(_ device: UInt64, from address: String) {
    let network = RateLimit.network(of: address).hashValue
    self.init(device: device, network: UInt64(bitPattern: Int64(network)))
  }
}
