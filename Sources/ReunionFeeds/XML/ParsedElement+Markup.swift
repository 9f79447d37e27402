extension ParsedElement {
  /// The content as XML: elements, attributes and text, without comments and prefixes.
  ///
  /// An element in another namespace than its parent says so by `xmlns`.
  public var markup: String {
    defer { withExtendedLifetime(tree) {} }
    return view.markup
  }
}

extension ElementView {
  /// See ``ParsedElement/markup``.
  var markup: String {
    var bytes: [UInt8] = []
    appendContents(to: &bytes, namespace: storage.pointee.names[name].namespace)
    return String(decoding: bytes, as: UTF8.self)
  }

  // As deep as the parser's limit of depth.
  private func appendContents(to bytes: inout [UInt8], namespace: String?) {
    var position = Int(node.textStart)
    forEachChild { child in
      appendText(position..<Int(child.node.textStart), to: &bytes)
      child.append(to: &bytes, parentNamespace: namespace)
      position = Int(child.node.textEnd)
    }
    appendText(position..<Int(node.textEnd), to: &bytes)
  }

  private func append(to bytes: inout [UInt8], parentNamespace: String?) {
    let name = storage.pointee.names[name]
    bytes.append(UInt8(ascii: "<"))
    bytes.append(contentsOf: name.local.utf8)
    if name.namespace != parentNamespace {
      bytes.append(contentsOf: " xmlns=\"".utf8)
      Array((name.namespace ?? "").utf8).withUnsafeBufferPointer { Self.escape($0, to: &bytes) }
      bytes.append(UInt8(ascii: "\""))
    }
    forEachAttribute { number, value in
      bytes.append(UInt8(ascii: " "))
      bytes.append(contentsOf: storage.pointee.names[number].local.utf8)
      bytes.append(contentsOf: "=\"".utf8)
      Self.escape(value, to: &bytes)
      bytes.append(UInt8(ascii: "\""))
    }
    guard node.textEnd > node.textStart || Int(node.end) > index + 1 else {
      return bytes.append(contentsOf: "/>".utf8)
    }
    bytes.append(UInt8(ascii: ">"))
    appendContents(to: &bytes, namespace: name.namespace)
    bytes.append(contentsOf: "</".utf8)
    bytes.append(contentsOf: name.local.utf8)
    bytes.append(UInt8(ascii: ">"))
  }

  private func appendText(_ range: Range<Int>, to bytes: inout [UInt8]) {
    Self.escape(
      UnsafeBufferPointer(start: storage.pointee.text.start + range.lowerBound, count: range.count),
      to: &bytes)
  }

  private static func escape(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
    for byte in text {
      switch byte {
      case UInt8(ascii: "<"): bytes.append(contentsOf: "&lt;".utf8)
      case UInt8(ascii: ">"): bytes.append(contentsOf: "&gt;".utf8)
      case UInt8(ascii: "&"): bytes.append(contentsOf: "&amp;".utf8)
      case UInt8(ascii: "\""): bytes.append(contentsOf: "&quot;".utf8)
      default: bytes.append(byte)
      }
    }
  }
}
