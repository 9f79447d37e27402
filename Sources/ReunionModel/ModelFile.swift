import ReunionCore

/// A version of a model as its file has it: `v1.model`.
///
/// A file has one right form, which `text` gives. So what is read prints back byte for byte, but for
/// the ends of lines: Git may have made CRLF of them, and an editor put a mark in front.
package struct ModelFile: Hashable, Sendable {
  /// An entity with the lines that describe it.
  package struct Entity: Hashable, Sendable {
    package var line: EntityLine
    package var documentation: [String] = []
    package var fields: [Field] = []
    package var indexes: [Line<IndexLine>] = []
    package var lenses: [Line<LensLine>] = []
    /// Where it stands.
    package var at: Int
  }

  /// A field with the lines that describe it.
  package struct Field: Hashable, Sendable {
    package var line: FieldLine
    package var documentation: [String] = []
    package var at: Int
  }

  /// A line that belongs to an entity.
  package struct Line<Content: Hashable & Sendable>: Hashable, Sendable {
    package var line: Content
    package var at: Int
  }

  /// How it is named in what it says.
  package let name: String
  package private(set) var lines: [ModelLine] = []
  package private(set) var imports: [String] = []
  package private(set) var entities: [Entity] = []
  /// The version that a device must have to read what this one writes, and where that stands.
  package private(set) var minimumReader: Line<Int>?

  /// The most bytes of a file, and the most problems that are told at once.
  package static let (bytesMax, problemsMax) = (1 << 20, 20)

  /// Reads a file.
  ///
  /// - Throws: `ModelProblems`, each with its place and the line to write instead.
  package init(_ text: String, name: String) throws(ModelProblems) {
    self.name = name
    var problems: [ModelProblem] = []
    guard text.utf8.count <= Self.bytesMax else {
      throw ModelProblems([
        ModelProblem(
          file: name, line: 1, column: 1,
          sentence:
            "The file has over \(Self.bytesMax) bytes. Split what it describes into two models.")
      ])
    }
    var documentation: [String] = []
    // A line ends with LF. After the last there is nothing.
    var rows = Self.settled(text).utf8.split(separator: 10, omittingEmptySubsequences: false).map {
      Substring($0)
    }
    if rows.last?.isEmpty == true {
      rows.removeLast()
    } else {
      problems.append(
        ModelProblem(
          file: name, line: rows.count, column: (rows.last?.count ?? 0) + 1,
          sentence: "The last line does not end. End it with a line feed."))
    }
    for (index, row) in rows.enumerated() where problems.count < Self.problemsMax {
      func problem(_ column: Int, _ sentence: String, _ instead: String? = nil) -> ModelProblem {
        ModelProblem(
          file: name, line: index + 1, column: column, sentence: sentence, instead: instead)
      }
      do throws(LineFault) {
        // In what is generated it could end a comment or a text.
        if let at = row.unicodeScalars.firstIndex(where: { $0.value < 32 || $0.value == 127 }) {
          let column = row.distance(from: row.startIndex, to: at) + 1
          throw LineFault(column, "Here is a character that nobody sees. Delete it.")
        }
        let line = try ModelLine(parsing: row)
        let text = line.text
        guard text == row else {
          let same = zip(text, row).prefix { $0 == $1 }.count
          problems.append(problem(same + 1, "The line is spaced or ordered otherwise.", text))
          continue
        }
        lines.append(line)
        try take(line, &documentation, at: index + 1)
      } catch {
        problems.append(problem(error.column, error.sentence))
      }
    }
    if problems.isEmpty { problems = faults() }
    guard problems.isEmpty else { throw ModelProblems(problems) }
  }

  /// A text of lines as it was written: without a mark in front, and with LF for CRLF.
  static func settled(_ text: String) -> String {
    let mark = text.unicodeScalars.first == "\u{FEFF}"
    guard mark || text.utf8.contains(13) else { return text }
    var settled = String.UnicodeScalarView()
    var isReturn = false
    for scalar in text.unicodeScalars.dropFirst(mark ? 1 : 0) {
      if isReturn, scalar != "\n" { settled.append("\r") }
      isReturn = scalar == "\r"
      if !isReturn { settled.append(scalar) }
    }
    if isReturn { settled.append("\r") }
    return String(settled)
  }

  /// The file as it must stand.
  package var text: String { lines.map { $0.text + "\n" }.joined() }

  /// The entity of a name that this version does not leave out.
  package func entity(named name: String) -> Entity? {
    entities.first { $0.line.name == name && !$0.line.isHidden }
  }

  private mutating func take(
    _ line: ModelLine, _ documentation: inout [String], at number: Int
  ) throws(LineFault) {
    switch line {
    case .blank, .comment: documentation = []
    case .documentation(let text):
      documentation.append(String(text.drop { $0 == " " }))
    case .import(let module):
      guard entities.isEmpty else {
        throw LineFault(1, "Imports stand at the top, before the first entity.")
      }
      imports.append(module)
    case .entity(let entity):
      entities.append(Entity(line: entity, documentation: documentation, at: number))
      documentation = []
    case .field(let field):
      try requireEntity("A field")
      entities[entities.count - 1].fields.append(
        Field(line: field, documentation: documentation, at: number))
      documentation = []
    case .index(let index):
      try requireEntity("An index")
      entities[entities.count - 1].indexes.append(Line(line: index, at: number))
      documentation = []
    case .lens(let lens):
      try requireEntity("A lens")
      entities[entities.count - 1].lenses.append(Line(line: lens, at: number))
      documentation = []
    case .minimumReader(let version):
      guard entities.isEmpty else {
        throw LineFault(1, "The minimum reader stands at the top, before the first entity.")
      }
      guard minimumReader == nil else {
        throw LineFault(1, "The minimum reader stands here twice.")
      }
      minimumReader = Line(line: version, at: number)
      documentation = []
    }
  }

  private func requireEntity(_ what: String) throws(LineFault) {
    guard entities.isEmpty else { return }
    throw LineFault(
      3, "\(what) stands below its entity: begin with a line such as entity photo @1.")
  }
}

/// What is wrong in a model; never empty.
package struct ModelProblems: Error, CustomStringConvertible {
  package let all: [ModelProblem]

  init(_ all: [ModelProblem]) { self.all = all }

  package var description: String { all.map(\.description).joined(separator: "\n") }
}
