/// Pages of a world's browsers, which live beside its replicas and hear what becomes of these.
protocol WorldPages: Sendable {
  /// Ends what belongs to a replica whose process has ended.
  func stopped(_ replica: WorldReplica, _ end: ReplicaEnd)
  /// Has a replica vanish, so that nothing more of it is heard.
  func silence(_ replica: WorldReplica, tellsOther: Bool)
  /// Ends all of it: nothing is told any more.
  func remove()
}
