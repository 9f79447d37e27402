import FoundationEssentials
import ReunionCore
import ReunionStore

/// The full replicas for which the past of a space stays open: those of members who may edit, while they are used.
/// What all of them have is stable.
struct PastKeepers: Equatable {
  /// The devices, by their numbers.
  let devices: Set<UInt64>

  /// Takes those that were used within the silence that is allowed. A replica that was silent for longer holds nothing
  /// back, and takes all anew once it is back.
  init(_ devices: Set<UInt64>) { self.devices = devices }

  /// Up to which arrival all of them have everything, of those that there are; of a replica that never said how far it
  /// has come nothing is known.
  func stable(_ replicas: [ReplicaStanding], of arrival: UInt64) -> UInt64 {
    let said = Dictionary(replicas.map { ($0.device, $0.changes) }) { max($0, $1) }
    return devices.reduce(arrival) { min($0, said[$1] ?? 0) }
  }
}

extension ServedSpace {
  /// Closes the past up to what is stable and old enough (`Store.closePast`).
  func closePast(in store: Store, silentDays: Int) throws {
    let since = access.settledTime.earliest - Double(silentDays) * 86_400
    let isByAge = store.options.seededBugs.pastClosedBySilence
    let keepers = PastKeepers(isByAge ? [] : access.keepers(usedSince: since))
    let arrival = try store.arrival(of: id)
    let stable = keepers.stable(try store.keptStanding(of: id).replicas, of: arrival)
    try store.closePast(of: id, upTo: stable)
  }
}
