import ReunionStore
import ReunionTesting
import TestThreads
import Testing

/// One meeting of two replicas, cut, killed and left without power at every place, one after
/// another.
@Suite(.onOwnThread) struct EveryCutTests {
  static let members = [History.Member("phone"), History.Member("server")]

  static func history(_ steps: [HistoryStep]) -> History {
    let act = { (replica: Int, name: String) -> HistoryStep in
      .act(
        replica: replica, action: Notebook.actions.firstIndex { $0.name == name } ?? 0)
    }
    return History(
      seed: 5, members: members, routes: [History.Route(0, 1)],
      steps: [
        .disconnect(connection: 0), act(0, "write much"), act(0, "edit two"), act(0, "delete"),
        act(1, "write much"), act(1, "attach"), act(1, "insert again"),
        .connect(connection: 0), .pass(milliseconds: 30),
      ] + steps + [.pass(milliseconds: 3_000), act(0, "edit"), .pass(milliseconds: 500)])
  }

  private func run(_ what: String, count: Int, _ step: (Int) -> HistoryStep) {
    for number in 0..<count {
      do {
        try Notebook.simulation().run(Self.history([step(number)]))
      } catch {
        Issue.record("\(what) \(number): \(error)")
        return
      }
    }
    print("every \(what): \(count) places, 0 broken promises")
  }

  @Test(arguments: [true, false])
  func `a link may be cut between any two messages`(ofDialler: Bool) {
    run("cut", count: 40) { .cut(connection: 0, messages: $0, ofDialler: ofDialler) }
  }

  @Test(arguments: [0, 1])
  func `a process may be killed, or lose power, at any call that changes its disk`(replica: Int) {
    run("kill", count: 60) { .kill(replica: replica, calls: $0) }
    run("power cut", count: 60) { .cutPower(replica: replica, calls: $0) }
  }

  @Test(arguments: [0, 1])
  func `any call to a disk may fail`(replica: Int) {
    run("failing call", count: 60) { .failCalls(replica: replica, after: 2 * $0, count: 1) }
  }
}
