/// What a master file has between its braces, brackets or blanks: a name, and what stands under it.
///
/// In XML a value is an attribute or a text; in YAML and JSON it is a child that has only a text.
struct MasterElement {
  let form: MasterForm
  let name: String
  let line: Int
  /// Values by name; of equal names the last counts.
  var attributes: [String: String]
  /// All that stands under it, in its order; values of YAML and JSON are among them.
  var children: [MasterElement]
  var text: String
  /// Whether it is a value of YAML or JSON, which XML has as an attribute or as an element.
  var isValue = false

  func flag(_ name: String) -> Bool? { attributes[name].map { $0.lowercased() == "true" } }

  /// How its form writes its name.
  var title: String { form.title(name) }

  /// The same with parameters put into all values and texts under it.
  func expanded(_ parameters: Parameters) -> MasterElement {
    guard !parameters.isEmpty else { return self }
    var element = self
    element.attributes = attributes.mapValues { parameters.expand($0) }
    element.children = children.map { $0.expanded(parameters) }
    element.text = parameters.expand(text)
    return element
  }
}

/// How a master file is written.
enum MasterForm: String {
  case xml = "XML"
  case yaml = "YAML"
  case json = "JSON"

  /// That of a file's ending; nil for any other.
  init?(ending: String) {
    switch ending {
    case "xml": self = .xml
    case "yaml", "yml": self = .yaml
    case "json": self = .json
    default: return nil
    }
  }

  func title(_ name: String) -> String {
    switch self {
    case .xml: "<\(name)>"
    case .yaml: "\(name):"
    case .json: "\"\(name)\""
    }
  }

  /// An element as an example of what to write: with values, or with a text.
  func example(_ name: String, _ values: String..., text: String? = nil) -> String {
    switch self {
    case .xml:
      let attributes = values.map { " \($0)=\"…\"" }.joined()
      return text.map { "<\(name)\(attributes)>\($0)</\(name)>" } ?? "<\(name)\(attributes)/>"
    case .yaml:
      guard let text, values.isEmpty else {
        return "- \(name): { \(values.map { "\($0): …" }.joined(separator: ", ")) }"
      }
      return "- \(name): \(text)"
    case .json:
      guard let text, values.isEmpty else {
        return "{\"\(name)\": {\(values.map { "\"\($0)\": \"…\"" }.joined(separator: ", "))}}"
      }
      return "{\"\(name)\": \"\(text)\"}"
    }
  }
}
