import Foundation
import ReunionServer

/// What the terminal shows when the map is ready.
struct Banner {
  let count: Int
  let here: HostAddress
  let shared: HostAddress
  let feed: String
  let everySeconds: Double

  var text: String {
    let quakes = count == 1 ? "1 quake" : "\(count) quakes"
    var lines = [
      "", "  Earthquakes · \(quakes) so far", "", "Here: http://\(here)/",
    ]
    if !shared.isLoopback { lines.append("On this network: http://\(shared)/") }
    lines += [
      "Feed: \(feed), every \(FeedWatch.text(of: everySeconds))", "",
      "Plain HTTP: anyone on this network can look at the map. Stop with Ctrl-C.", "",
    ]
    return lines.joined(separator: "\n")
  }
}
