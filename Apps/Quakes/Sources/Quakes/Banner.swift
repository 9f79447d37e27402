import Foundation
import ReunionServer

/// What the terminal shows when the map is ready.
struct Banner {
  let count: Int
  let host: String?
  let port: UInt16
  let feed: String
  let everySeconds: Double

  var text: String {
    let quakes = count == 1 ? "1 quake" : "\(count) quakes"
    let shared = host.map { HostAddress($0) } ?? .thisMachine
    var lines = [
      "", "  Earthquakes · \(quakes) so far", "", "Here: \(link(HostAddress("localhost")))",
    ]
    if !shared.isLoopback { lines.append("On this network: \(link(shared))") }
    lines += [
      "Feed: \(feed), every \(FeedWatch.text(of: everySeconds))", "",
      "Plain HTTP: anyone on this network can look at the map. Stop with Ctrl-C.", "",
    ]
    return lines.joined(separator: "\n")
  }

  private func link(_ host: HostAddress) -> String {
    "http://\(host.with(defaultPort: port))/"
  }
}
