/// What stands in a file of YAML or JSON, as a value.
struct YAMLNode {
  indirect enum Content {
    /// A text; nil where nothing stands there, or `null`.
    case value(String?)
    case list([YAMLNode])
    case map([YAMLEntry])
  }

  let content: Content
  let line: Int
  /// How much it is with all that its aliases stand for.
  let weight: Int

  var entries: [YAMLEntry]? {
    if case .map(let entries) = content { return entries }
    return nil
  }

  /// As a value. A list is what Java writes of it, `[a, b]`; a list of one value is that value.
  var text: String? {
    switch content {
    case .value(let text): return text
    case .map: return nil
    case .list(let nodes):
      var texts: [String] = []
      for node in nodes {
        guard case .value(let text?) = node.content else { return nil }
        texts.append(text)
      }
      return texts.count < 2 ? texts.first : "[" + texts.joined(separator: ", ") + "]"
    }
  }

  /// As an element with a name. What stands in the maps of a list stands under it as if there were no list:
  /// a list of maps with a key each is how YAML keeps an order.
  func element(_ name: String, line: Int, _ form: MasterForm) -> MasterElement {
    var element = MasterElement(
      form: form, name: name, line: line, attributes: [:], children: [], text: "")
    add(to: &element)
    if case .value = content { element.isValue = true }
    return element
  }

  private func add(to element: inout MasterElement) {
    switch content {
    case .value(let text):
      if let text { element.text += element.text.isEmpty ? text : " " + text }
    case .list(let nodes):
      for node in nodes { node.add(to: &element) }
    case .map(let entries):
      for entry in entries {
        element.children.append(entry.node.element(entry.key, line: entry.line, element.form))
        if let text = entry.node.text { element.attributes[entry.key] = text }
      }
    }
  }
}

/// A key and the node that follows it.
struct YAMLEntry {
  let key: String
  let line: Int
  let node: YAMLNode
}

extension MasterElement {
  /// The list `databaseChangeLog` of a file of YAML or JSON.
  static func yaml(
    _ source: SourceText, _ form: MasterForm
  ) throws(ChangelogError) -> (root: MasterElement, warnings: [Warning]) {
    let parser = try YAMLParser(source, form)
    let document = try parser.document()
    let place = Place(source.path, document?.line ?? 1)
    guard let document, let entries = document.entries,
      let root = entries.last(where: { $0.key == "databaseChangeLog" })
    else {
      throw ChangelogError(
        .refused, "The file is no changelog: it has no databaseChangeLog.", at: place,
        write: form == .json ? "{\"databaseChangeLog\": […]}" : "databaseChangeLog:")
    }
    guard case .list = root.node.content else {
      throw ChangelogError(
        .refused, "databaseChangeLog has no list: each entry begins with a dash of its own.",
        at: Place(source.path, root.line), write: form.example("changeSet", "id", "author"))
    }
    return (root.node.element(root.key, line: root.line, form), parser.warnings)
  }
}
