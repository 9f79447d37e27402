import CChangelogXML

extension MasterElement {
  /// The outermost element of a file of XML. It brings no document type, and nothing is fetched for it.
  static func xml(_ bytes: [UInt8], _ path: String) throws(ChangelogError) -> MasterElement {
    guard let context = xmlNewParserCtxt() else {
      throw ChangelogError(.failed, "There is no memory to read \(path).")
    }
    defer { xmlFreeParserCtxt(context) }
    let options =
      XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue
      | XML_PARSE_NOWARNING.rawValue | XML_PARSE_NOCDATA.rawValue
    let document = bytes.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        xmlCtxtReadMemory(
          context, bytes.baseAddress, Int32(clamping: bytes.count), nil, nil, Int32(options))
      }
    }
    defer { xmlFreeDoc(document) }
    guard let document, let root = xmlDocGetRootElement(document) else {
      let error = context.pointee.lastError
      let message = error.message.map { String(cString: $0).trimmed } ?? "it has no element"
      throw ChangelogError(
        .refused, "The file is not XML: \(message).", at: Place(path, max(1, Int(error.line))))
    }
    guard document.pointee.intSubset == nil else {
      throw ChangelogError(
        .refused, "The file declares a document type: take <!DOCTYPE …> out.", at: Place(path, 1))
    }
    return element(root)
  }

  private static func element(_ node: xmlNodePtr) -> MasterElement {
    var children: [MasterElement] = []
    var text = ""
    let line = Int(xmlGetLineNo(node))
    var child = node.pointee.children
    while let node = child {
      switch node.pointee.type {
      case XML_ELEMENT_NODE: children.append(element(node))
      case XML_TEXT_NODE, XML_CDATA_SECTION_NODE:
        if let content = node.pointee.content { text += String(cString: content) }
      default: break
      }
      child = node.pointee.next
    }
    var attributes: [String: String] = [:]
    var property = node.pointee.properties
    while let attribute = property {
      if let name = attribute.pointee.name {
        var value = ""
        var part = attribute.pointee.children
        while let text = part {
          if let content = text.pointee.content { value += String(cString: content) }
          part = text.pointee.next
        }
        attributes[String(cString: name)] = value
      }
      property = attribute.pointee.next
    }
    let name = node.pointee.name.map { String(cString: $0) } ?? ""
    return MasterElement(
      form: .xml, name: name, line: line, attributes: attributes, children: children, text: text)
  }
}
