import Foundation
import ReunionCore
import ReunionFlow

/// Takes pictures of QR codes from people who have not joined, and tells the invitation in them.
///
/// Anybody on the network may send one, so little is taken: few at a time, few a minute, of a bounded
/// size; and nothing is told but a secret of this server that still opens, or why there is none.
final class InvitationPictures: Sendable {
  /// Most bytes in a picture.
  static let bytesMax: UInt64 = 8 << 20
  /// Most pictures that are under way at once, and of those the most of one network.
  static let placesMax = 12
  static let placesOfOneMax = 2
  /// Most pictures that are begun in a minute.
  static let perMinuteMax = 30
  /// Most of those from one network.
  static let perMinuteOfOneMax = 12
  /// Seconds after which one that is under way loses its place to the next.
  static let secondsMax = 30.0

  private struct Traffic {
    /// When each picture that is under way was begun, and from which network.
    var underWay: [UUID: (begun: Double, network: String)] = [:]
    var begun: [(at: Double, network: String)] = []
  }
  private let traffic = Lock(Traffic())

  /// A place for one more picture, or nil where there are enough; `leave` gives it back.
  func enter(from address: String, now: Double = Date().timeIntervalSince1970) -> UUID? {
    let network = RateLimit.network(of: address)
    return traffic.withLock { traffic in
      traffic.begun.removeAll { $0.at <= now - 60 || $0.at > now }
      traffic.underWay = traffic.underWay.filter {
        $0.value.begun > now - Self.secondsMax && $0.value.begun <= now
      }
      guard traffic.underWay.count < Self.placesMax, traffic.begun.count < Self.perMinuteMax,
        traffic.underWay.values.count(where: { $0.network == network }) < Self.placesOfOneMax,
        traffic.begun.count(where: { $0.network == network }) < Self.perMinuteOfOneMax
      else { return nil }
      let place = UUID()
      traffic.underWay[place] = (now, network)
      traffic.begun.append((now, network))
      return place
    }
  }

  /// Whether a picture still has its place.
  func holds(_ place: UUID) -> Bool { traffic.withLock { $0.underWay[place] != nil } }

  /// The file of a picture, beside the uploads: who may read those may read this.
  static func path(of place: UUID, in folder: String) -> String {
    "\(folder)/join-\(place).picture"
  }

  /// Removes the pictures that a server left which was killed.
  static func removeRest(in folder: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where name.hasPrefix("join-") && name.hasSuffix(".picture") {
      unlink("\(folder)/\(name)")
    }
  }

  /// Refuses a file that is no JPEG or PNG by its first bytes: the fewer decoders a stranger reaches, the
  /// fewer holes. People who joined may send a picture of any format.
  static func requireTaken(_ path: String) throws(Access.Refusal) {
    let file = FileHandle(forReadingAtPath: path)
    let head = try? file?.read(upToCount: MediaType.headBytes)
    try? file?.close()
    switch MediaType(head: head ?? Data()) {
    case .jpeg, .png: return
    case let type? where type.isPicture:
      throw Access.Refusal(
        status: 415,
        description:
          "Until you have joined, this server reads only JPEG and PNG. Take a screenshot of the picture, and choose that."
      )
    default: throw unreadable
    }
  }

  private static let unreadable = Access.Refusal(
    status: 404,
    description:
      "That picture could not be read. Choose another picture, or a screenshot of the code.")

  func leave(_ place: UUID) { traffic.withLock { _ = $0.underWay.removeValue(forKey: place) } }

  /// The secret of a link such as `http://host:8080/#join=SECRET`; nil for any other text.
  static func secret(in text: String) -> String? {
    guard text.utf8.count <= 2048, text.hasPrefix("http://") || text.hasPrefix("https://"),
      let mark = text.range(of: "#join="), !text[mark.upperBound...].isEmpty
    else { return nil }
    return String(text[mark.upperBound...])
  }

  /// The secret that opens, of the texts in a picture; nil texts for a picture that was not read.
  ///
  /// - Throws: `Access.Refusal` with what is wrong and what to do about it; what `role` throws.
  static func secret(
    in texts: [String]?, role: (_ secret: String) throws -> Role
  ) throws -> String {
    func refusal(_ sentence: String) -> Access.Refusal {
      Access.Refusal(status: 404, description: sentence)
    }
    guard let texts else { throw unreadable }
    guard !texts.isEmpty else {
      throw refusal(
        "No code was found in that picture. Choose one that shows the whole code, large and sharp.")
    }
    let secrets = texts.compactMap { secret(in: $0) }
    guard !secrets.isEmpty else {
      throw refusal(
        "The code in that picture is not an invitation. Choose a picture of the code that the host shows."
      )
    }
    var ended: Access.Refusal?
    for secret in secrets {
      do {
        _ = try role(secret)
        return secret
      } catch let error as Access.Refusal {
        if error.status == 410 { ended = error }
      }
    }
    throw ended.map { refusal($0.description) }
      ?? refusal(
        "The code in that picture belongs to another server. Scan it to join there, or ask for this server's code."
      )
  }
}
