import ReunionCore

/// What one device says of another, signed: under which number it writes, and what it may do.
struct MemberStatement: Hashable {
  /// The bytes of one.
  static let byteCount = 32 + 8 + 1 + 4 + 32 + DeviceKey.signatureBytes
  private static let purpose = Array("reunion member 1".utf8)

  /// Whom it is about.
  let subject: DeviceKey
  /// The device half of the sites under which it writes.
  let device: UInt64
  /// What it may do; nil where it is a member no longer.
  let role: MemberRole?
  /// The later of two has the higher one.
  let version: UInt32
  /// The device that makes the statement.
  let issuer: DeviceKey
  private let signature: [UInt8]

  /// Signs a statement.
  init(
    _ subject: DeviceKey, device: UInt64, role: MemberRole?, version: UInt32, in space: SpaceID,
    by issuer: DeviceKeyPair
  ) throws {
    self.subject = subject
    self.device = device
    self.role = role
    self.version = version
    self.issuer = issuer.publicKey
    let message = Self.signed(subject, device, role, version, space)
    signature = try issuer.sign(message)
  }

  /// Reads one; nil for a role that this build does not know.
  init?(_ reader: inout ByteReader) throws(WireError) {
    guard let subject = DeviceKey(bytes: try reader.bytes(DeviceKey.byteCount)) else { return nil }
    self.subject = subject
    device = try reader.integer(UInt64.self)
    let role = try reader.byte()
    self.role = MemberRole(rawValue: role)
    version = try reader.integer(UInt32.self)
    guard let issuer = DeviceKey(bytes: try reader.bytes(DeviceKey.byteCount)) else { return nil }
    self.issuer = issuer
    signature = try reader.bytes(DeviceKey.signatureBytes)
    guard role == 0 || self.role != nil else { return nil }
  }

  /// Appends it.
  func write(to writer: inout ByteWriter) {
    writer.bytes(subject.bytes)
    writer.integer(device)
    writer.byte(role?.rawValue ?? 0)
    writer.integer(version)
    writer.bytes(issuer.bytes)
    writer.bytes(signature)
  }

  /// Whether its issuer has signed it, for this space. Cost: about 100 µs.
  func isSigned(in space: SpaceID) -> Bool {
    issuer.hasSigned(Self.signed(subject, device, role, version, space), signature)
  }

  private static func signed(
    _ subject: DeviceKey, _ device: UInt64, _ role: MemberRole?, _ version: UInt32,
    _ space: SpaceID
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.bytes(purpose)
    writer.identifier(space)
    writer.bytes(subject.bytes)
    writer.integer(device)
    writer.byte(role?.rawValue ?? 0)
    writer.integer(version)
    return writer.bytes
  }

  /// Whether it counts more than another about the same subject. The later one counts more; of two
  /// at once, the one that allows less does.
  func outweighs(_ other: MemberStatement) -> Bool {
    if version != other.version { return version > other.version }
    let (own, others) = (role?.rawValue ?? 0, other.role?.rawValue ?? 0)
    if own != others { return own < others }
    return issuer == other.issuer
      ? signature.lexicographicallyPrecedes(other.signature) : issuer < other.issuer
  }
}
