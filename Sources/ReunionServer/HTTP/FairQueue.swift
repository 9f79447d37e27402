/// Work of many networks, in turns: each network that waits is served once before any is served again, so
/// that one that asks for much keeps itself waiting, and nobody else.
///
/// *Cost*: O(networks that wait) a piece of work.
struct FairQueue<Work> {
  private var lines: [String: [Work]] = [:]
  /// The networks that wait, in the order of their turns.
  private var turns: [String] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// How much of a network waits.
  func count(of network: String) -> Int { lines[network]?.count ?? 0 }

  mutating func append(_ work: Work, of network: String) {
    if lines[network, default: []].isEmpty { turns.append(network) }
    lines[network, default: []].append(work)
    count += 1
  }

  /// The next piece of work; nil if none waits.
  mutating func next() -> Work? {
    guard !turns.isEmpty else { return nil }
    let network = turns.removeFirst()
    // A line is seldom long; one of thousands costs its own network's turn.
    guard let work = lines[network]?.removeFirst() else { return nil }
    if lines[network]?.isEmpty == true { lines[network] = nil } else { turns.append(network) }
    count -= 1
    return work
  }
}
