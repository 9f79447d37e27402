/// The faults that are built in on purpose, as the negative controls of tests: `bugs.tieBreakMissing` asks
/// for one of them.
///
/// Only a build with the flag `SEEDED_BUGS`, as tests make it, has any. In every other build each question is
/// the constant `false`, and the compiler takes the fault out, name and all.
@dynamicMemberLookup
#if !SEEDED_BUGS
  @usableFromInline
#endif
package struct SeededBugs: Hashable, Sendable {
  #if SEEDED_BUGS
    private var bugs: Set<SeededBug> = []

    /// None.
    package init() {}

    /// These faults.
    package init(_ bugs: some Sequence<SeededBug>) { self.bugs = Set(bugs) }

    /// Those of these names.
    package init(named names: some Sequence<String>) { bugs = Set(names.map { SeededBug($0) }) }

    /// Whether there is none.
    package var isEmpty: Bool { bugs.isEmpty }

    /// Whether any of both is in both.
    package func isDisjoint(with others: SeededBugs) -> Bool { bugs.isDisjoint(with: others.bugs) }

    /// Whether the fault of that name is built in. A test compares the names with those of `SeededBug`.
    package subscript(dynamicMember name: StaticString) -> Bool {
      !bugs.isEmpty && bugs.contains(SeededBug("\(name)"))
    }
  #else
    /// None.
    @inlinable package init() {}

    /// None, whatever the names.
    package init(named _: some Sequence<String>) {}

    /// Whether there is none.
    @inlinable package var isEmpty: Bool { true }

    /// No fault is built in.
    @inlinable package subscript(dynamicMember _: StaticString) -> Bool { false }
  #endif
}

#if SEEDED_BUGS
  extension SeededBugs: ExpressibleByArrayLiteral {
    package init(arrayLiteral bugs: SeededBug...) { self.init(bugs) }
  }

  /// A fault by its name. Each layer declares its own in an extension.
  package struct SeededBug: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// Without a name, that of the property that makes it.
    package init(_ name: String = #function) { description = name }
  }
#endif
