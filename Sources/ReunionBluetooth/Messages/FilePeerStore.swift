import ReunionCore
import ReunionFlow

/// What outlives the process, in a folder that is for its owner alone.
///
/// ```
/// lock                     locked by the one program that uses the folder
/// key, peers               this device's secret key; who is known
/// devices                  which devices that are no peers are kept connected, and for what
/// PEER/state               names and numbers
/// PEER/out.LANE.NUMBER     a message that the peer has not taken: its key, then its sealed bytes
/// PEER/in.LANE.NUMBER      one that arrives: its head, then what has come
/// ```
///
/// A file that cannot be read as what it should be is passed over: what arrives is asked for again.
final class FilePeerStore: PeerStore {
  private let folder: PrivateFolder
  private let claim: Lock<PrivateFolder.Claim?>
  /// The file that grows, of each peer and lane: one stays open, however many messages wait.
  private let growing = Lock<[String: (name: String, file: PrivateFolder.OpenFile)]>([:])

  init(_ path: String) throws {
    folder = PrivateFolder(path)
    try folder.make()
    claim = Lock(try folder.claim())
  }

  func close() { claim.withLock { $0 = nil } }

  func secretKey(orKeep fresh: [UInt8]) throws -> [UInt8] {
    if let kept = try folder.contents(of: "key") { return kept }
    try folder.replace("key", with: fresh)
    return fresh
  }

  // MARK: Peers

  func peers() throws -> [KnownPeer] {
    guard let bytes = try folder.contents(of: "peers") else { return [] }
    do {
      var reader = ByteReader(bytes)
      var peers: [KnownPeer] = []
      while reader.remaining > 0 {
        let id = PeerID(bytes: try reader.bytes(32))
        let device = try reader.lengthPrefixed(upTo: 1000)
        guard let id else { break }
        let text = String(decoding: device, as: UTF8.self)
        peers.append(KnownPeer(id: id, device: device.isEmpty ? nil : DeviceID(text)))
      }
      return peers
    } catch {
      throw BluetoothError(
        .disk,
        "The file of known peers is damaged. Remove \(folder.path)/peers, and meet them again."
      )
    }
  }

  func keep(_ peer: KnownPeer) throws {
    try write(peers().filter { $0.id != peer.id } + [peer])
  }

  private func write(_ peers: [KnownPeer]) throws {
    var writer = ByteWriter()
    for peer in peers.sorted(by: { $0.id < $1.id }) {
      writer.bytes(peer.id.bytes)
      writer.lengthPrefixed(Array((peer.device?.text ?? "").utf8))
    }
    try folder.replace("peers", with: writer.bytes)
  }

  func forget(_ peer: PeerID) throws {
    try write(peers().filter { $0.id != peer })
    for lane in Lane.allCases { close(nil, lane, peer) }
    for name in try folder.names(in: home(peer)) { try folder.remove("\(home(peer))/\(name)") }
    try folder.removeFolder(home(peer))
  }

  private func home(_ peer: PeerID) -> String { String(peer.description.prefix(32)) }

  // MARK: Devices

  private static let subscriptionsMax: UInt64 = 1000

  func devices() throws -> [DeviceID: LinkPlan] {
    guard let bytes = try folder.contents(of: "devices") else { return [:] }
    do {
      var reader = ByteReader(bytes)
      func id() throws -> BluetoothID {
        BluetoothID(high: try reader.integer(UInt64.self), low: try reader.integer(UInt64.self))
      }
      var devices: [DeviceID: LinkPlan] = [:]
      while reader.remaining > 0 {
        let text = try reader.lengthPrefixed(upTo: 1000)
        let count = try reader.varint(upTo: Self.subscriptionsMax)
        var plan = LinkPlan(service: try id())
        for _ in 0..<count { plan.subscriptions.append(try id()) }
        devices[DeviceID(String(decoding: text, as: UTF8.self))] = plan
      }
      return devices
    } catch {
      throw BluetoothError(
        .disk,
        "The file of devices that are kept connected is damaged. Remove \(folder.path)/devices.")
    }
  }

  func keep(_ device: DeviceID, for plan: LinkPlan?) throws {
    var devices = try devices()
    guard devices[device] != plan else { return }
    devices[device] = plan
    var writer = ByteWriter()
    for (device, plan) in devices.sorted(by: { $0.key < $1.key }) {
      writer.lengthPrefixed(Array(device.text.utf8))
      writer.varint(UInt64(plan.subscriptions.count))
      for id in [plan.service] + plan.subscriptions {
        writer.integer(id.high)
        writer.integer(id.low)
      }
    }
    try folder.replace("devices", with: writer.bytes)
  }

  // MARK: Messages

  func messages(of peer: PeerID) throws -> StoredMessages {
    try folder.make(home(peer))
    var stored = try state(of: peer)
    for name in try folder.names(in: home(peer)) {
      let parts = name.split(separator: ".")
      guard parts.count == 3, let lane = UInt8(parts[1]).flatMap(Lane.init(rawValue:)),
        let number = UInt64(parts[2]), let bytes = try folder.contents(of: "\(home(peer))/\(name)")
      else { continue }
      if parts[0] == "out", bytes.count >= Cipher.keyBytes + Cipher.tagBytes {
        stored.queued[lane, default: []].append(
          SealedMessage(
            number: number, key: Array(bytes.prefix(Cipher.keyBytes)),
            bytes: Array(bytes.dropFirst(Cipher.keyBytes))))
      } else if parts[0] == "in", let message = Self.arriving(bytes), number == message.head.number
      {
        stored.arriving[lane, default: []].append(message)
      }
    }
    for lane in Lane.allCases {
      stored.queued[lane]?.sort { $0.number < $1.number }
    }
    if !Lane.allCases.allSatisfy({ Self.isWithoutGap(stored, $0) }) {
      // A kill has left them between their old numbers and new ones, or a file is damaged.
      stored.outbox = UInt64.random(in: 1...UInt64.max)
      try renumber(outbox: stored.outbox, for: peer, stored.queued.mapValues { $0.map(\.number) })
      stored.queued = stored.queued.mapValues(\.renumbered)
      stored.next = [:]
    }
    for lane in Lane.allCases { Self.order(&stored, lane) }
    return stored
  }

  private static func isWithoutGap(_ stored: StoredMessages, _ lane: Lane) -> Bool {
    guard let queued = stored.queued[lane], let last = queued.last else { return true }
    return last.number + 1 >= stored.next[lane] ?? 1
      && zip(queued, queued.dropFirst()).allSatisfy { $0.number + 1 == $1.number }
  }

  /// Puts what was read into order, without what has a gap before it.
  private static func order(_ stored: inout StoredMessages, _ lane: Lane) {
    let last = stored.queued[lane]?.last?.number ?? 0
    stored.next[lane] = max(stored.next[lane] ?? 1, last + 1)
    var wanted = (stored.taken[lane] ?? 0) + 1
    var arriving: [ArrivingMessage] = []
    for message in (stored.arriving[lane] ?? []).sorted(by: { $0.head.number < $1.head.number })
    where message.head.number == wanted {
      arriving.append(message)
      guard message.isWhole else { break }
      wanted += 1
    }
    stored.arriving[lane] = arriving
  }

  private static func arriving(_ bytes: [UInt8]) -> ArrivingMessage? {
    guard let headCount = bytes.first.map(Int.init), bytes.count >= 1 + headCount,
      let head = try? MessageHead(Array(bytes[1..<1 + headCount]))
    else { return nil }
    let rest = Array(bytes[(1 + headCount)...])
    return rest.count <= head.byteCount ? ArrivingMessage(head: head, bytes: rest) : nil
  }

  func queue(_ message: SealedMessage, on lane: Lane, for peer: PeerID) throws {
    try folder.replace(name("out", lane, message.number, peer), with: message.key + message.bytes)
    try change(peer) { $0.next[lane] = message.number + 1 }
  }

  func settle(_ lane: Lane, through number: UInt64, for peer: PeerID) throws {
    try removeAll("out", lane, through: number, peer)
  }

  func renumber(outbox: UInt64, for peer: PeerID) throws {
    let queued = try messages(of: peer).queued
    try renumber(outbox: outbox, for: peer, queued.mapValues { $0.map(\.number) })
  }

  /// No kill loses one: each is renamed, the first one first, so that its new number is free; a gap shows that
  /// this was not finished.
  private func renumber(
    outbox: UInt64, for peer: PeerID, _ numbers: [Lane: [UInt64]]
  ) throws {
    for (lane, numbers) in numbers {
      for (index, number) in numbers.enumerated() where number != UInt64(index + 1) {
        try folder.move(
          name("out", lane, number, peer), to: name("out", lane, UInt64(index + 1), peer))
      }
    }
    try change(peer) {
      $0.outbox = outbox
      $0.next = numbers.mapValues { UInt64($0.count + 1) }
    }
  }

  func begin(_ head: MessageHead, on lane: Lane, from peer: PeerID) throws {
    let name = name("in", lane, head.number, peer)
    let file = try folder.create(name)
    try file.append([UInt8(head.bytes.count)] + head.bytes)
    growing.withLock { $0[line(lane, peer)] = (name, file) }
  }

  func append(
    _ bytes: ArraySlice<UInt8>, to number: UInt64, on lane: Lane, from peer: PeerID
  ) throws {
    let name = name("in", lane, number, peer)
    let open = growing.withLock { $0[line(lane, peer)] }
    if let open, open.name == name { return try open.file.append(Array(bytes)) }
    let file = try folder.openToAppend(name)
    growing.withLock { $0[line(lane, peer)] = (name, file) }
    try file.append(Array(bytes))
  }

  private func line(_ lane: Lane, _ peer: PeerID) -> String { "\(home(peer))/\(lane.rawValue)" }

  /// Closes the file that grows, if it is this one; nil for any.
  private func close(_ name: String?, _ lane: Lane, _ peer: PeerID) {
    growing.withLock { growing in
      let line = line(lane, peer)
      if name == nil || growing[line]?.name == name { growing[line] = nil }
    }
  }

  func drop(_ number: UInt64, on lane: Lane, from peer: PeerID) throws {
    let name = name("in", lane, number, peer)
    close(name, lane, peer)
    try folder.remove(name)
  }

  func take(_ lane: Lane, through number: UInt64, mark: [UInt8], from peer: PeerID) throws {
    try change(peer) {
      $0.taken[lane] = number
      $0.takenMarks[lane] = mark
    }
    try removeAll("in", lane, through: number, peer)
  }

  func begin(inbox: UInt64, taken: [Lane: UInt64], from peer: PeerID) throws {
    for lane in Lane.allCases { try removeAll("in", lane, through: .max, peer) }
    try change(peer) {
      $0.inbox = inbox
      $0.taken = taken
      $0.takenMarks = [:]
    }
  }

  // MARK: Files

  private func name(_ kind: String, _ lane: Lane, _ number: UInt64, _ peer: PeerID) -> String {
    "\(home(peer))/\(kind).\(lane.rawValue).\(number)"
  }

  private func removeAll(
    _ kind: String, _ lane: Lane, through number: UInt64, _ peer: PeerID
  ) throws {
    let numbers = try folder.names(in: home(peer)).compactMap { name -> UInt64? in
      let parts = name.split(separator: ".")
      guard parts.count == 3, parts[0] == kind, UInt8(parts[1]) == lane.rawValue else {
        return nil
      }
      return UInt64(parts[2])
    }
    // The first one first: what a kill leaves has no gap.
    for found in numbers.sorted() where found <= number {
      let path = name(kind, lane, found, peer)
      close(path, lane, peer)
      try folder.remove(path)
    }
  }

  /// The names and numbers of a peer; a fresh outbox if there are none.
  private func state(of peer: PeerID) throws -> StoredMessages {
    var stored = StoredMessages()
    guard let bytes = try folder.contents(of: "\(home(peer))/state") else {
      stored.outbox = UInt64.random(in: 1...UInt64.max)
      try write(stored, peer)
      return stored
    }
    do {
      var reader = ByteReader(bytes)
      stored.outbox = try reader.integer(UInt64.self)
      stored.inbox = try reader.integer(UInt64.self)
      for lane in Lane.allCases {
        stored.next[lane] = try reader.varint()
        stored.taken[lane] = try reader.varint()
      }
      // Files of earlier builds end here.
      guard reader.remaining > 0 else { return stored }
      for lane in Lane.allCases {
        stored.takenMarks[lane] = try reader.lengthPrefixed(upTo: MessageHead.markBytes)
      }
    } catch {
      throw BluetoothError(
        .disk, "A file of a peer is damaged. Remove \(folder.path)/\(home(peer)), and unpair it.")
    }
    return stored
  }

  private func change(_ peer: PeerID, _ body: (inout StoredMessages) -> Void) throws {
    var stored = try state(of: peer)
    body(&stored)
    try write(stored, peer)
  }

  private func write(_ stored: StoredMessages, _ peer: PeerID) throws {
    var writer = ByteWriter()
    writer.integer(stored.outbox)
    writer.integer(stored.inbox)
    for lane in Lane.allCases {
      writer.varint(stored.next[lane] ?? 1)
      writer.varint(stored.taken[lane] ?? 0)
    }
    for lane in Lane.allCases { writer.lengthPrefixed(stored.takenMarks[lane] ?? []) }
    try folder.replace("\(home(peer))/state", with: writer.bytes)
  }
}
