public import ReunionCore
import ReunionStore

/// That a device sent all bytes of a blob, as what, and what they turned out to be.
///
/// A record of the access space: a clone knows it, too.
struct Delivery: Entity {
  let id: RecordID
  var width = 0
  var height = 0
  var contentType = ""
  var color = 0
  /// When the picture was taken, in milliseconds since 1970; 0 where it does not say.
  var taken: Int64 = 0

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Delivery>(
    16_777_205, "reunion_delivery",
    [
      .field(1, "width", \.width), .field(2, "height", \.height),
      .field(3, "contentType", \.contentType), .field(4, "color", \.color),
      .field(5, "taken", \.taken),
    ])

  /// The id of the delivery of a blob as something by a device: nobody finds a blob by it.
  /// Without a device it says that anybody has.
  static func id(of hash: BlobHash, as use: UploadUse, by device: UInt64?) -> RecordID {
    let name = "reunion delivery \(hash) \(use.rawValue) \(device.map { "\($0)" } ?? "anybody")"
    return RecordID(bytes: Array(SHA256.hash(Array(name.utf8))[..<16])) ?? RecordID(high: 0, low: 0)
  }
}

extension Access {
  /// Whether a blob may be shown that this device named in a record.
  ///
  /// A guest may name any hash, even that of a deleted record's file or of a stranger's. So a name
  /// counts only if the same guest has sent all bytes as the same thing; or if anybody has, and
  /// nobody else ever named the blob, because then nobody else knows it. A phone that joined again,
  /// or moved with its space, is not the device that sent the bytes. Devices that may edit show
  /// what they like.
  ///
  /// `device` is the device half of the site that wrote the field. `namers` gives the devices that
  /// named the blob in any field of any record, deleted ones too; it is called only if the answer
  /// depends on it. Cost: at most two look-ups by id, and that call.
  public func mayShow(
    _ hash: BlobHash, as use: UploadUse, namedBy device: UInt64, of namers: () throws -> Set<UInt64>
  ) throws -> Bool {
    guard isGuest(device) else { return true }
    if try delivery(of: hash, as: use, by: device) != nil { return true }
    guard let facts = try delivery(of: hash, as: use, by: nil),
      try namers().subtracting([device]).isEmpty
    else { return false }
    // It stays so, whoever learns the name and uses it later.
    try note(facts, of: hash, as: use, by: device)
    return true
  }

  /// What a blob turned out to be when somebody sent it, so that nobody has to decode it again; nil
  /// if nobody sent it for this use. Cost: a look-up by id.
  public func facts(of hash: BlobHash, as use: UploadUse) throws -> UploadFacts? {
    try delivery(of: hash, as: use, by: nil)
  }

  /// What is known of a blob that a device sent as something; nil where it did not.
  func delivery(of hash: BlobHash, as use: UploadUse, by device: UInt64?) throws -> UploadFacts? {
    let id = Delivery.id(of: hash, as: use, by: device)
    guard let found = try store.fetch(Delivery.self, id, in: space) else { return nil }
    return UploadFacts(
      width: found.width, height: found.height, contentType: found.contentType,
      takenMilliseconds: found.taken == 0 ? nil : found.taken, color: found.color)
  }

  /// Whether a device's word for a blob counts: it has sent the bytes, or may change everything.
  func hasSent(_ hash: BlobHash, device: UInt64) throws -> Bool {
    guard isGuest(device) else { return true }
    return try UploadUse.allCases.contains { try delivery(of: hash, as: $0, by: device) != nil }
  }

  /// Notes that a device has sent all bytes of a blob. On disk when it returns.
  func note(
    _ facts: UploadFacts, of hash: BlobHash, as use: UploadUse, by device: UInt64
  ) throws {
    guard try delivery(of: hash, as: use, by: device) == nil else { return }
    try store.write(in: space) { transaction in
      for sender in [device, nil] {
        let id = Delivery.id(of: hash, as: use, by: sender)
        guard try transaction.fetch(Delivery.self, id) == nil else { continue }
        var delivery = Delivery(id: id)
        delivery.width = facts.width
        delivery.height = facts.height
        delivery.contentType = facts.contentType
        delivery.color = facts.color
        delivery.taken = facts.takenMilliseconds ?? 0
        try transaction.create(delivery)
      }
    }
  }
}
