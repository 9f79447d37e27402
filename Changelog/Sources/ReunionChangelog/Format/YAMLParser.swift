import CYAML

/// Reads a file of YAML or JSON event by event, within bounds: how deep it goes, how long its keys are, and
/// how much its aliases make of it.
final class YAMLParser {
  private(set) var warnings: [Warning] = []
  private let source: SourceText
  private let form: MasterForm
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
  private var anchors: [String: YAMLNode] = [:]

  static let depthMax = 64
  static let keyBytesMax = 1024
  /// Of all values with what aliases stand for, each with some bytes for itself.
  static let weightMax = 64 << 20
  static let valueWeight = 256

  /// A parser of a file whose bytes are UTF-8.
  init(_ source: SourceText, _ form: MasterForm) throws(ChangelogError) {
    self.source = source
    self.form = form
    let plain = Array(source.bytes[source.start...])
    let text = form == .json ? Surrogates.joined(plain) : plain
    bytes = .allocate(capacity: text.count)
    _ = bytes.initialize(from: text)
    guard yaml_parser_initialize(parser) == 1 else {
      bytes.deallocate()
      parser.deallocate()
      throw ChangelogError(.failed, "There is no memory to read \(source.path).")
    }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    bytes.deallocate()
  }

  /// The one document of the file; nil where it is empty.
  func document() throws(ChangelogError) -> YAMLNode? {
    var document: YAMLNode?
    while true {
      let event = try next()
      switch event.kind {
      case YAML_STREAM_END_EVENT: return document
      case YAML_DOCUMENT_START_EVENT:
        guard document == nil else {
          throw refusal("The file has a second document", event.line, write: "a file for each")
        }
        document = try node(next(), depth: 0)
      default: continue
      }
    }
  }

  // MARK: Events

  private struct Event {
    let kind: yaml_event_type_t
    let line: Int
    var anchor: String?
    var tag: String?
    var text: String = ""
    var isPlain = false
  }

  private func next() throws(ChangelogError) -> Event {
    var raw = yaml_event_t()
    guard yaml_parser_parse(parser, &raw) == 1 else { throw fault() }
    defer { yaml_event_delete(&raw) }
    var event = Event(kind: raw.type, line: Int(raw.start_mark.line) + 1)
    switch raw.type {
    case YAML_ALIAS_EVENT: event.anchor = Self.text(raw.data.alias.anchor)
    case YAML_SCALAR_EVENT:
      let scalar = raw.data.scalar
      event.anchor = Self.text(scalar.anchor)
      event.tag = Self.text(scalar.tag)
      event.text = String(
        decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      event.isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
    case YAML_SEQUENCE_START_EVENT:
      event.anchor = Self.text(raw.data.sequence_start.anchor)
      event.tag = Self.text(raw.data.sequence_start.tag)
    case YAML_MAPPING_START_EVENT:
      event.anchor = Self.text(raw.data.mapping_start.anchor)
      event.tag = Self.text(raw.data.mapping_start.tag)
    default: break
    }
    return event
  }

  private static func text(_ pointer: UnsafeMutablePointer<UInt8>?) -> String? {
    pointer.map { String(cString: $0) }
  }

  // MARK: Nodes

  private func node(_ event: Event, depth: Int) throws(ChangelogError) -> YAMLNode {
    guard depth < Self.depthMax else {
      throw refusal("The file goes deeper than \(Self.depthMax) levels", event.line)
    }
    let node: YAMLNode
    switch event.kind {
    case YAML_ALIAS_EVENT:
      guard let name = event.anchor, let anchored = anchors[name] else {
        throw refusal("No &\(event.anchor ?? "") stands above its alias", event.line)
      }
      node = anchored
    case YAML_SEQUENCE_START_EVENT:
      try check(tag: event, "seq")
      node = try list(event, depth)
    case YAML_MAPPING_START_EVENT:
      try check(tag: event, "map")
      node = try map(event, depth)
    default: node = try value(event)
    }
    guard node.weight <= Self.weightMax else {
      throw refusal(
        "Its aliases make more than \(Self.weightMax >> 20) MiB of the file", event.line)
    }
    if let name = event.anchor, event.kind != YAML_ALIAS_EVENT { anchors[name] = node }
    return node
  }

  private func value(_ event: Event) throws(ChangelogError) -> YAMLNode {
    try check(tag: event, "str", "int", "float", "bool", "null", "timestamp")
    let weight = Self.valueWeight + event.text.utf8.count
    let isText = event.tag == "tag:yaml.org,2002:str" || (event.tag == nil && !event.isPlain)
    guard !isText else {
      return YAMLNode(content: .value(event.text), line: event.line, weight: weight)
    }
    let scalar = YAMLScalar(event.text)
    if scalar.isMoment {
      warnings.append(
        Warning(
          Place(source.path, event.line),
          "\(event.text) without quotes is a date, which counts as “\(scalar.text ?? "")”."))
    }
    return YAMLNode(content: .value(scalar.text), line: event.line, weight: weight)
  }

  private func list(_ start: Event, _ depth: Int) throws(ChangelogError) -> YAMLNode {
    var nodes: [YAMLNode] = []
    var weight = Self.valueWeight
    while true {
      let event = try next()
      guard event.kind != YAML_SEQUENCE_END_EVENT else { break }
      let node = try node(event, depth: depth + 1)
      weight += node.weight
      nodes.append(node)
      guard weight <= Self.weightMax else { break }
    }
    return YAMLNode(content: .list(nodes), line: start.line, weight: weight)
  }

  private func map(_ start: Event, _ depth: Int) throws(ChangelogError) -> YAMLNode {
    var draft = YAMLMap()
    var weight = Self.valueWeight
    while weight <= Self.weightMax {
      let key = try next()
      guard key.kind != YAML_MAPPING_END_EVENT else { break }
      guard key.kind == YAML_SCALAR_EVENT else {
        throw refusal("A key is one word, and no list, map or alias", key.line)
      }
      guard key.text.utf8.count <= Self.keyBytesMax else {
        throw refusal("The key has more than \(Self.keyBytesMax) bytes", key.line)
      }
      let node = try node(next(), depth: depth + 1)
      weight += node.weight + key.text.utf8.count
      if key.text == "<<", key.isPlain {
        guard draft.merge(node) else {
          throw refusal("<<: stands for no map", key.line, write: "<<: *NAME")
        }
        continue
      }
      guard draft.add(key.text, key.line, node) else { continue }
      warnings.append(
        Warning(
          Place(source.path, key.line),
          "\(key.text.prefix(80)) stands there twice: only the last counts. "
            + "An entry of its own needs a dash."))
    }
    return YAMLNode(content: .map(draft.entries), line: start.line, weight: weight)
  }

  // MARK: Refusals

  private func check(tag event: Event, _ known: String...) throws(ChangelogError) {
    guard let tag = event.tag, tag != "!" else { return }
    guard known.contains(where: { tag == "tag:yaml.org,2002:" + $0 }) else {
      throw refusal("The tag \(tag.prefix(80)) is not read", event.line, write: "the value alone")
    }
  }

  private func refusal(
    _ sentence: String, _ line: Int, write remedy: String? = nil
  ) -> ChangelogError {
    ChangelogError(.refused, sentence + ".", at: Place(source.path, line), write: remedy)
  }

  /// What libyaml says that is wrong.
  private func fault() -> ChangelogError {
    let state = parser.pointee
    let problem = state.problem.map { String(cString: $0) } ?? "it cannot be read"
    let isOfReader = state.error == YAML_READER_ERROR
    let line =
      isOfReader
      ? 1 + bytes.prefix(Int(state.problem_offset)).count { $0 == 0x0a }
      : Int(state.problem_mark.line) + 1
    let lines = bytes.split(separator: 0x0a, maxSplits: line, omittingEmptySubsequences: false)
    let start = line <= lines.count ? lines[line - 1].prefix { $0 == 0x20 || $0 == 0x09 } : []
    if start.contains(0x09) {
      return refusal("The line begins with a tab", line, write: "blanks in the place of the tab")
    }
    return refusal("The file is not \(form.rawValue): \(problem)", line)
  }
}
