import Foundation
import Testing

/// The names of types that `import Reunion` brings, so that a change of them is seen in review.
@Suite struct PublicNameTests {
  static let targets = ["Reunion", "ReunionSync", "ReunionStore", "ReunionFlow"]
  /// Of these what is handed on by name.
  static let lowerTargets = ["ReunionDisk", "ReunionCore"]
  static let list = "Tests/PublicNames.txt"

  /// The public types that a file declares, nested ones by their whole names.
  ///
  /// It goes by the indentation that `swift format` gives.
  static func names(in text: String) -> [String] {
    let declaration =
      #/
      ^(?<indent>\ *)(?:@\w+(?:\(\w+\))?\ )*(?<public>public\ )?(?:[a-z]+\ )*?
      (?<kind>class|struct|enum|protocol|actor|typealias|extension)\ (?<name>[\w.]+)
      /#
    var names: [String] = []
    var scopes: [(indent: Int, name: String)] = []
    for line in text.split(separator: "\n") {
      if let handedOn = line.wholeMatch(of: /@_exported public import [a-z]+ \w+\.(\w+)/) {
        names.append(String(handedOn.1))
        continue
      }
      guard !line.contains(#/^(?:\w+ )?import\b/#) else { continue }
      let indent = line.prefix { $0 == " " }.count
      if line.dropFirst(indent).hasPrefix("}") { scopes.removeAll { $0.indent >= indent } }
      guard let match = line.firstMatch(of: declaration) else { continue }
      let name = ((scopes.last.map { [$0.name] } ?? []) + [String(match.name)])
        .joined(separator: ".")
      if match.public != nil, match.kind != "extension" { names.append(name) }
      if match.kind != "typealias", !line.hasSuffix("}") { scopes.append((indent, name)) }
    }
    return names
  }

  static func names() throws -> [String] {
    var names: Set<String> = []
    for target in targets {
      for file in TidyTests.swiftFiles(in: "Sources/\(target)") {
        names.formUnion(Self.names(in: try String(contentsOf: file, encoding: .utf8)))
      }
    }
    // Of the layers below what is handed on, with what is nested in it.
    for file in lowerTargets.flatMap({ TidyTests.swiftFiles(in: "Sources/\($0)") }) {
      for name in Self.names(in: try String(contentsOf: file, encoding: .utf8))
      where names.contains(String(name.prefix { $0 != "." })) { names.insert(name) }
    }
    return names.sorted()
  }

  @Test func `what import Reunion brings is what the list says`() throws {
    let file = TidyTests.root.appending(path: Self.list)
    let names = try Self.names()
    if ProcessInfo.processInfo.environment["REUNION_WRITE_NAMES"] != nil {
      try Data((names.joined(separator: "\n") + "\n").utf8).write(to: file)
    }
    let listed = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(
      String.init)
    let more = Set(names).subtracting(listed).sorted()
    let fewer = Set(listed).subtracting(names).sorted()
    let remedy = "Write it into \(Self.list), or make what is machinery `package`."
    #expect(more.isEmpty, "New public types: \(more.joined(separator: ", ")). \(remedy)")
    #expect(fewer.isEmpty, "No public types any more: \(fewer.joined(separator: ", ")). \(remedy)")
    #expect(listed == listed.sorted())
    print("\(names.count) public types, \(names.count { !$0.contains(".") }) of them not nested")
  }

  /// Types of Apple's frameworks that an app is likely to import beside ours.
  static let apples: Set<String> = [
    // SwiftUI
    "Alert", "Anchor", "Animation", "App", "Binding", "Button", "Canvas", "Circle", "Color",
    "Divider", "Edge", "Environment", "Font", "Form", "Gesture", "Grid", "Group", "Image", "Label",
    "Layout", "Link", "List", "Menu", "Namespace", "Path", "Picker", "Scene", "Section", "Settings",
    "Shape", "Slider", "Spacer", "State", "Stepper", "Tab", "Table", "Text", "Toggle",
    "Transaction", "Transition", "View", "Window",
    // SwiftData, CoreData
    "Attribute", "DataStore", "Index", "Model", "Query", "Relationship", "Schema", "Unique",
    // Combine, Observation
    "Cancellable", "Fail", "Future", "Just", "Observable", "ObservableObject",
    "ObservationRegistrar",
    "Published", "Publisher", "Publishers", "Record", "Scheduler", "Subject", "Subscriber",
    "Subscribers", "Subscription",
    // CryptoKit
    "Digest", "HMAC", "HashFunction", "Insecure", "SHA256", "SHA512", "SymmetricKey",
    // Foundation, WidgetKit, RegexBuilder, RealityKit, StoreKit, Charts, OSLog
    "Capture", "Chart", "Component", "Entity", "Logger", "Measurement", "Notification", "Operation",
    "Process", "Product", "Progress", "Reference", "Thread", "Timeline", "Timer", "Unit", "Widget",
    // The standard library and its companions
    "Clock", "Duration", "Identifiable", "Mutex", "Result", "Task",
  ]
  /// Those that have such a name nevertheless: docs/decisions/0036-names-that-clash.md says why.
  static let clashes: Set<String> = ["Entity", "Model", "Query", "Reference"]

  @Test func `no public type has a name that clashes with Apple's`() throws {
    let ours = Set(try Self.names())
    let found = ours.intersection(Self.apples)
    #expect(
      found.subtracting(Self.clashes).isEmpty,
      "\(found.subtracting(Self.clashes).sorted()): a framework of Apple's has that name too. Rename it."
    )
    #expect(Self.clashes.subtracting(found).isEmpty, "Take it out of the list: it clashes no more.")
    #expect(
      ours.isDisjoint(with: Self.targets + Self.lowerTargets),
      "No type may have the name of a module.")
  }

  @Test func `a public type is found wherever it stands (negative control)`() {
    let text = """
      @_exported public import struct Below.Zero
      @_exported public import Whole
      public import struct Below.NotHandedOn
      public struct One: Sendable {
        public enum Two { case a }
        struct Hidden {
          let a = 1
        }
        @frozen public struct Three
        where A: B
        {
          public typealias Four = Int
        }
      }
      #if X
        extension One {
          public final class Five {}
          package enum Six {}
        }
        public protocol Seven {}
      #endif
      @usableFromInline struct Eight {}
      """
    #expect(
      Self.names(in: text)
        == ["Zero", "One", "One.Two", "One.Three", "One.Three.Four", "One.Five", "Seven"])
  }
}
