import ReunionCore
import ReunionTesting

/// What happens in a world of tenants: an act of somebody honest, or one of the attacker.
enum TenantStep: Hashable, Sendable {
  /// Somebody adds a note in one of their spaces.
  case add(Int)
  /// Somebody changes a note of their own.
  case edit(Int)
  /// Somebody deletes a note of their own.
  case delete(Int)
  /// Somebody sends a file; the note that names it comes later.
  case upload(Int)
  /// Somebody adds a note that names what they sent last.
  case name(Int)
  /// Somebody asks who they are, for a file, or who the others are.
  case look(Int)
  /// Somebody sends the app a picture to read.
  case grab(Int)
  /// Somebody's link is cut.
  case cut(Int)
  /// Somebody goes offline, or comes back.
  case away(Int)
  /// Somebody joins the space that they were not in.
  case join(Int)
  /// Somebody opens a space of their own.
  case own(Int)
  /// A host deletes a record for good.
  case erase
  /// The server's app writes.
  case serve
  /// The server ends and starts again.
  case restart
  /// Nothing happens.
  case pass
  /// The attacker does something.
  case attack(Attack)
}

/// What the attacker does: the attacks that are known, and at random what protocol and routes allow.
package enum Attack: Hashable, Sendable, CaseIterable {
  case eraseFile, takeMembers, carryNumber, pairNumber, claimNumber
  case giveUpSites, neverEndPush, joinAgain, inventSites, holdBodies
  case sendSame, crowd, openSessions, leaveAndJoin
  case pushAnything, askAnything, sayNonsense
}

/// What the attacker may do.
enum AttackerRole: String, Hashable, Sendable, CaseIterable {
  case stranger, view, add, edit
  /// The host of a space of its own choice, and a guest in the first.
  case host
}

/// A story of tenants: from a seed, one step after another.
struct TenantHistory: Sendable {
  struct Numbered: Hashable, Sendable {
    let number: Int
    let step: TenantStep
  }

  let seed: UInt64
  let role: AttackerRole
  /// How many steps it has in time, those that were left out too.
  let count: Int
  var steps: [Numbered]

  init(seed: UInt64, count: Int, only attack: Attack? = nil) {
    var random = SeededRandom(seed: seed)
    role = AttackerRole.allCases[Int(random.next() % UInt64(AttackerRole.allCases.count))]
    self.seed = seed
    self.count = count
    steps = (0..<count).map { Numbered(number: $0, step: Self.step(&random, attack)) }
    // Somebody who is to come comes in every story.
    let coming = count * 2 / 3
    if coming < count { steps[coming] = Numbered(number: coming, step: .join(Cast.dan)) }
  }

  private static func step(_ random: inout SeededRandom, _ attack: Attack?) -> TenantStep {
    let who = Int(random.next() % UInt64(Cast.count))
    let (dice, which) = (random.next() % 100, random.next())
    switch dice {
    case ..<40:
      let all = Attack.allCases
      return .attack(attack ?? all[Int(which % UInt64(all.count))])
    case ..<50: return .add(who)
    case ..<56: return .edit(who)
    case ..<58: return .delete(who)
    case ..<69: return .upload(who)
    case ..<76: return .name(who)
    case ..<83: return .look(who)
    case ..<86: return .grab(who)
    case ..<88: return .cut(who)
    case ..<90: return .away(who)
    case ..<92: return .join(who)
    case ..<94: return .own(who)
    case ..<95: return .erase
    case ..<98: return .serve
    case ..<99: return .restart
    default: return .pass
    }
  }

  func keeping(_ steps: [Numbered]) -> TenantHistory {
    var history = self
    history.steps = steps
    return history
  }

  func keeping(_ numbers: Set<Int>) -> TenantHistory {
    keeping(steps.filter { numbers.contains($0.number) })
  }

  /// The same without the attacker.
  var alone: TenantHistory {
    keeping(steps.filter { if case .attack = $0.step { false } else { true } })
  }

  /// The numbers of its steps as a command takes them.
  var stepNumbers: String {
    History(
      seed: seed, members: [], routes: [],
      steps: Array(repeating: .pass(milliseconds: 1), count: count)
    )
    .keeping(Set(steps.map(\.number))).stepNumbers
  }
}

/// The honest people of a story.
enum Cast {
  static let ada = 0, ben = 1, cyd = 2, dan = 3
  static let names = ["ada", "ben", "cyd", "dan"]
  static let count = names.count
  /// Somebody who wrote in the first space and never joined: an editor's replica has brought it.
  static let absent = Site(device: 0xab5e_0000_0000_0001, incarnation: 7)
  /// The server's spaces to which people are invited.
  static let main = "main", other = "other", hers = "hers"
}
