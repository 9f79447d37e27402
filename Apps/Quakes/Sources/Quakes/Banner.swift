import ReunionServer

/// What the terminal shows when the map is ready.
struct Banner {
  let count: Int
  let here: Origin
  let shared: Origin
  let feed: String
  let everySeconds: Double

  var lines: [String] {
    let quakes = count == 1 ? "1 quake" : "\(count) quakes"
    var lines = ["  Earthquakes · \(quakes) so far", "", "Here: \(here)/"]
    if shared.isSecure {
      lines.append("For everybody: \(shared)/")
    } else if !shared.host.isLoopback {
      lines.append("On this network: \(shared)/")
    }
    return lines + ["Feed: \(feed), every \(FeedWatch.text(of: everySeconds))"]
  }
}
