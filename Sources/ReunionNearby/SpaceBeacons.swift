public import Reunion
public import ReunionBluetooth
public import ReunionCore
public import ReunionFlow
import ReunionStore

extension Replica {
  /// Advertises these spaces until the result is released: their members can tell, and nobody else.
  ///
  /// ```swift
  /// import Reunion
  /// import ReunionBluetooth
  /// import ReunionNearby
  ///
  /// func advertiseAll(of replica: Replica, over bluetooth: Bluetooth) throws -> SignalSubscription {
  ///   try replica.advertise(replica.spaces, over: bluetooth)
  /// }
  /// ```
  ///
  /// Each quarter of an hour has a beacon of its own; several spaces take turns, each for a minute at least.
  /// A removed member can still tell. *Thread*: any.
  /// - Throws: `StoreError` if the members cannot be read. Spaces without members are left out.
  public func advertise(_ spaces: [SpaceID], over bluetooth: Bluetooth) throws -> SignalSubscription
  {
    let keys = try spaces.compactMap { try beaconKey(of: $0) }
    let (clock, draw) = (clock, store.options.random)
    let turn = Lock(0)
    let tell: @Sendable () -> Void = { [weak bluetooth] in
      var advertisement = ReunionService.advertisement
      let key = turn.withLock { turn in
        defer { turn += 1 }
        return keys.isEmpty ? nil : keys[turn % keys.count]
      }
      if let key {
        var random = Chance(draw: draw)
        let beacon = Beacon(key: key, at: clock.wallMilliseconds, using: &random)
        advertisement.serviceData = [ReunionService.id: beacon.bytes]
      }
      bluetooth?.announce(advertisement)
    }
    let epoch = Duration.milliseconds(Beacon.epochMilliseconds)
    let pendulum = Pendulum(
      every: max(.seconds(60), epoch / max(1, keys.count)), clock: clock
    ) { _ in tell() }
    tell()
    return SignalSubscription { [weak bluetooth] in
      pendulum.cancel()
      bluetooth?.announce(nil)
    }
  }

  /// The space whose members a sighted device advertises; nil for a stranger's.
  ///
  /// *Cost*: three hashes a space that has members here.
  /// - Throws: `StoreError` if the members cannot be read.
  public func space(of sighting: Sighting) throws -> SpaceID? {
    guard let bytes = sighting.serviceData[ReunionService.id], let beacon = Beacon(bytes: bytes)
    else { return nil }
    let now = clock.wallMilliseconds
    return try memberDirectory().spaces().first { space in
      try beaconKey(of: space).map { beacon.isOf($0, at: now) } ?? false
    }
  }

  /// What all members of a space can make, and nobody else: nobody but them knows who founded it.
  private func beaconKey(of space: SpaceID) throws -> [UInt8]? {
    guard let list = try memberDirectory().members(of: space).list else { return nil }
    return HMAC.code(of: Array("reunion beacon 1".utf8) + space.bytes, key: list.founder.bytes)
  }
}

/// A store's randomness, as a generator.
private struct Chance: RandomNumberGenerator {
  let draw: @Sendable () -> UInt64

  mutating func next() -> UInt64 { draw() }
}
