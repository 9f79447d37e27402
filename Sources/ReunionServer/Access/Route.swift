/// What a client may ask any server for, and who may: the one table of both.
///
/// `docs/security.md` shows it to people. What a group of routes answers stands in a file of `Routes/`; an
/// app has routes of its own as `AppRoute`.
enum Route: Hashable, Sendable, CaseIterable {
  case health, join, joinByPicture, model, pages
  case session, signOut, sync, block, beginUpload, upload, blob
  case invitation
  case ownSpace, pairingLink, pair, person, removeOwnDevice
  case ownerLink, guestsLink, devices, removeDevice, eraseRecord

  /// One line of the table.
  struct Row: Sendable {
    let methods: Set<HTTPRequest.Method>
    /// The path's components; `*` stands for any one.
    let paths: [String]
    /// The least role that may ask; nil where strangers may.
    let least: Role?
    private let patterns: [[Substring]]

    init(methods: Set<HTTPRequest.Method>, paths: [String], least: Role?) {
      self.methods = methods
      self.paths = paths
      self.least = least
      patterns = paths.map { $0.split(separator: "/") }
    }

    /// Whether it is what is asked for.
    func leads(_ method: HTTPRequest.Method, _ components: [String]) -> Bool {
      methods.contains(method)
        && patterns.contains { pattern in
          pattern.count == components.count
            && zip(pattern, components).allSatisfy { $0 == "*" || $0 == $1 }
        }
    }

    /// Why one with this role, or a stranger, may not ask for it; nil where it may.
    func refusal(for role: Role?) -> HTTPResponse? {
      guard let least else { return nil }
      guard let role else {
        return .error(401, "Scan the QR code, or open the link that the host gave you.")
      }
      guard role < least else { return nil }
      return switch least {
      case .admin: .error(403, "Only the host can do this. Ask the host.")
      case .edit: .error(403, "You may not change what others added. Ask the host.")
      case .add, .view:
        .error(403, "You may look here, and not add anything. Ask the host for another link.")
      }
    }
  }

  var row: Row {
    switch self {
    case .health: Row(methods: [.get, .head], paths: ["health"], least: nil)
    case .join: Row(methods: [.post], paths: ["join"], least: nil)
    case .joinByPicture: Row(methods: [.post], paths: ["join/picture"], least: nil)
    case .model: Row(methods: [.get], paths: ["model.json"], least: nil)
    case .pages: Row(methods: [.get, .head], paths: [], least: nil)
    case .session: Row(methods: [.get], paths: ["session"], least: .view)
    case .signOut: Row(methods: [.delete], paths: ["session"], least: .view)
    case .sync: Row(methods: [.get], paths: ["sync"], least: .view)
    case .block: Row(methods: [.get, .head], paths: ["block"], least: .view)
    case .blob: Row(methods: [.get, .head], paths: ["blobs/*"], least: .view)
    case .beginUpload: Row(methods: [.post], paths: ["uploads"], least: .add)
    case .upload: Row(methods: [.head, .patch, .delete], paths: ["uploads/*"], least: .add)
    case .invitation: Row(methods: [.get], paths: ["invite"], least: .add)
    case .pair: Row(methods: [.post], paths: ["pair"], least: nil)
    case .ownSpace: Row(methods: [.post], paths: ["own"], least: .view)
    case .pairingLink: Row(methods: [.post], paths: ["pairing-link"], least: .view)
    case .person: Row(methods: [.get], paths: ["person"], least: .view)
    case .removeOwnDevice: Row(methods: [.delete], paths: ["person/*"], least: .view)
    case .ownerLink: Row(methods: [.post], paths: ["owner-link"], least: .admin)
    case .guestsLink: Row(methods: [.post], paths: ["guests-link"], least: .admin)
    case .devices: Row(methods: [.get], paths: ["devices"], least: .admin)
    case .removeDevice: Row(methods: [.delete], paths: ["devices/*"], least: .admin)
    case .eraseRecord: Row(methods: [.delete], paths: ["records/*/*"], least: .admin)
    }
  }

  private static let rows = allCases.map { ($0, $0.row) }

  /// What is asked for; whatever no row names is asked of the app's own routes, and then of the pages.
  init(_ method: HTTPRequest.Method, _ components: [String]) {
    self = Self.rows.first { $0.1.leads(method, components) }?.0 ?? .pages
  }
}
