import ReunionCore

extension LensLine {
  /// Reads what follows the verb.
  init(_ verb: Verb, _ reader: inout LineReader) throws(LineFault) {
    let first = try Self.numbers(
      &reader, example: verb == .fill ? "fill @7 from @4" : "\(verb) @4 to @7")
    let word = verb == .fill ? "from" : "to"
    guard reader.take(word) else {
      throw LineFault(reader.column, "Here “\(word)” and the numbers of fields are missing.")
    }
    let second = try Self.numbers(&reader, example: "@7")
    guard reader.take("by") else {
      throw LineFault(
        reader.column,
        "Here “by” and how the values change are missing: \(ConversionWord.names.joined(separator: ", "))."
      )
    }
    self.init(
      verb: verb, sources: verb == .fill ? second : first, targets: verb == .fill ? first : second,
      conversion: try ConversionWord(&reader))
  }

  private static func numbers(
    _ reader: inout LineReader, example: String
  ) throws(LineFault) -> [UInt32] {
    var numbers: [UInt32] = []
    while reader.peek?.first == "@" {
      numbers.append(try reader.place("field", in: 1...Cell.fieldMax))
    }
    guard !numbers.isEmpty else {
      throw LineFault(reader.column, "Here the number of a field is missing, as in \(example).")
    }
    return numbers
  }
}

extension ConversionWord {
  fileprivate init(_ reader: inout LineReader) throws(LineFault) {
    let word = try reader.word("how the values change")
    switch word.text {
    case "same": self = .same
    case "text": self = .text
    case "number": self = .number
    case "times":
      let factor = try reader.word("the factor")
      switch ModelLiteral(parsing: factor.text) {
      case .int(let number)? where number != 0: self = .times(.int(number))
      case .double(let number)? where number != 0: self = .times(.double(number))
      default:
        throw LineFault(
          factor.column,
          "“\(factor.text)” is no factor: write a number such as 60 or 0.5, and not 0.")
      }
    case "over":
      self = .over(try reader.number("divisor", in: 1...Int64.max))
    case "cases": self = .cases(try Self.cases(&reader))
    case "separator":
      let text = try reader.word("the separator, such as \", \"")
      guard case .text(let separator)? = ModelLiteral(parsing: text.text), !separator.isEmpty else {
        throw LineFault(
          text.column, "“\(text.text)” is no separator: write it in quotes, such as \", \".")
      }
      self = .separator(separator)
    case "custom": self = .custom(try reader.name("conversion"))
    default:
      throw LineFault(
        word.column,
        "“\(word.text)” is no conversion. They are \(Self.names.joined(separator: ", ")).")
    }
  }

  /// `1: "low", 2: "high"`
  private static func cases(_ reader: inout LineReader) throws(LineFault) -> [Case] {
    var cases: [Case] = []
    func literal(_ word: LineReader.Word, _ text: Substring) throws(LineFault) -> ModelLiteral {
      guard let literal = ModelLiteral(parsing: text) else {
        throw LineFault(
          word.column, "“\(word.text)” is no case: write them as 1: \"low\", 2: \"high\".")
      }
      if case .double = literal {
        throw LineFault(word.column, "“\(word.text)” is a double, which is no case: use an int.")
      }
      return literal
    }
    repeat {
      let from = try reader.word("a case, such as 1: \"low\"")
      guard from.text.last == ":" else {
        throw LineFault(from.column, "“\(from.text)” needs a colon behind it, as in 1: \"low\".")
      }
      let to = try reader.word("what the case becomes")
      let hasMore = to.text.last == ","
      let made = Case(
        from: try literal(from, from.text.dropLast()),
        to: try literal(to, hasMore ? to.text.dropLast() : to.text))
      guard !cases.contains(where: { $0.from == made.from || $0.to == made.to }) else {
        throw LineFault(
          from.column,
          "The case \(made.text) stands twice on one side, so that there is no way back.")
      }
      cases.append(made)
      if !hasMore { return cases }
    } while true
  }
}

extension ConversionWord.Case {
  fileprivate var text: String { "\(from.text): \(to.text)" }
}

extension IndexLine {
  /// Reads the names behind `index`.
  init(_ reader: inout LineReader) throws(LineFault) {
    fields = []
    repeat {
      let word = try reader.word("the name of a field")
      for name in word.text.split(separator: ",") {
        fields.append(try LineReader.name(name, at: word.column, "field"))
      }
    } while reader.peek != nil
    guard !fields.isEmpty else {
      throw LineFault(reader.column, "Here the name of a field is missing.")
    }
  }
}
