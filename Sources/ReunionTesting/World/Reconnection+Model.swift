package import Reunion
package import ReunionFlow

extension Reconnection {
  /// All that a connection can do.
  package static let model = MachineModel<Reconnection>(
    start: .idle,
    events: [
      .connect, .opened, .established, .lost(reason: "cut", chance: 0.5), .refused(reason: "no"),
      .asked(reason: "later", chance: 0.5, later: .seconds(60)),
      .networkReturned, .disconnect,
    ], statesMax: 200)
}
