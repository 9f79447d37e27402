import Foundation
import ReunionCore

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Why a server lets a device not sync.
struct ServerRefusal {
  let sentence: String
  /// Whether trying again would change nothing.
  let isFinal: Bool
  /// Whether the server does not know the device, or not any more, and nobody put it out.
  let isForgotten: Bool
}

extension Membership {
  /// Why the server refuses to sync a space; nil where it does not say.
  func refusal(of space: SpaceID) async -> ServerRefusal? {
    guard let address = URL(string: "\(server)/sync?space=\(space)") else { return nil }
    var request = URLRequest(url: address, timeoutInterval: 5)
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    guard let (body, status) = try? await ShortAnswer.of(request), status >= 400,
      let answer = try? JSONDecoder().decode(RefusalAnswer.self, from: body)
    else { return nil }
    let sentence = Self.sentence(answer.error)
    guard !sentence.isEmpty else { return nil }
    return ServerRefusal(
      sentence: sentence, isFinal: [401, 403, 404, 410].contains(status),
      isForgotten: status == 401 && answer.standing != "put-out")
  }

  /// A sentence of a server that is not trusted: one line, and not long.
  private static func sentence(_ text: String) -> String {
    let line = text.unicodeScalars.prefix(300).filter {
      !CharacterSet.controlCharacters.contains($0)
    }
    return String(String.UnicodeScalarView(line))
  }

  private struct RefusalAnswer: Decodable {
    let error: String
    let standing: String?
  }
}
