/// A line of a file of a changelog, counted from 1.
package struct Place: Sendable, Hashable, CustomStringConvertible {
  package let file: String
  package let line: Int

  package init(_ file: String, _ line: Int) {
    self.file = file
    self.line = line
  }

  package var description: String { "\(file):\(line)" }
}

/// Why a changelog was not run, or not to its end: a sentence, where it is, and what to write instead.
package struct ChangelogError: Error, Sendable, CustomStringConvertible {
  /// What kind of trouble it is; the program ends with its number.
  package struct Kind: Sendable, Hashable {
    package let exitCode: Int32

    /// The database did not do what it was asked, and nothing was changed.
    package static let failed = Kind(exitCode: 1)
    /// The words of the command say nothing that can be done.
    package static let misunderstood = Kind(exitCode: 2)
    /// A file or the history is not as it must be; nothing was changed.
    package static let refused = Kind(exitCode: 3)
    /// There is no database at that address.
    package static let unreachable = Kind(exitCode: 4)
    /// Some changesets were done before it.
    package static let partial = Kind(exitCode: 5)
    /// Somebody else has the lock.
    package static let locked = Kind(exitCode: 6)
  }

  package var kind: Kind
  package let sentence: String
  package let place: Place?
  /// The line or the command to write instead.
  package let remedy: String?

  package init(
    _ kind: Kind, _ sentence: String, at place: Place? = nil, write remedy: String? = nil
  ) {
    self.kind = kind
    self.sentence = sentence
    self.place = place
    self.remedy = remedy
  }

  package var description: String {
    let front = place.map { "\($0): " } ?? ""
    return front + sentence + (remedy.map { "\n  Write: \($0)" } ?? "")
  }
}

/// Something in a file that is read otherwise than its writer may think; nothing is refused for it.
package struct Warning: Sendable, Hashable, CustomStringConvertible {
  package let place: Place
  package let sentence: String

  package init(_ place: Place, _ sentence: String) {
    self.place = place
    self.sentence = sentence
  }

  package var description: String { "\(place): \(sentence)" }
}
