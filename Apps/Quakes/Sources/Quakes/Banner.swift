import Foundation
import ReunionServer

/// What the terminal shows when the map is ready.
struct Banner {
  let count: Int
  let here: Origin
  let shared: Origin
  let feed: String
  let everySeconds: Double

  var text: String {
    let quakes = count == 1 ? "1 quake" : "\(count) quakes"
    var lines = [
      "", "  Earthquakes · \(quakes) so far", "", "Here: \(here)/",
    ]
    if shared.isSecure {
      lines.append("For everybody: \(shared)/")
    } else if !shared.host.isLoopback {
      lines.append("On this network: \(shared)/")
    }
    lines += [
      "Feed: \(feed), every \(FeedWatch.text(of: everySeconds))", "",
      (shared.isSecure ? "" : "Plain HTTP: anyone on this network can look at the map. ")
        + "Stop with Ctrl-C.", "",
    ]
    return lines.joined(separator: "\n")
  }
}
