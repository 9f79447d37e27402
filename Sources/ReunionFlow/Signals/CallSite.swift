/// Where in a program something was called: a file and a line, as `#fileID` and `#line` give them.
package struct CallSite: Hashable, Sendable, CustomStringConvertible {
  /// The address of the file's name, which ends with a zero and is there for good.
  let file: UInt
  let line: UInt

  /// Makes a place of a literal; nil for the rare one that has no address.
  init?(_ file: StaticString, _ line: UInt) {
    guard file.hasPointerRepresentation else { return nil }
    self.init(file: UInt(bitPattern: file.utf8Start), line: line)
  }

  init(file: UInt, line: UInt) { (self.file, self.line) = (file, line) }

  package var description: String {
    guard let name = UnsafePointer<CChar>(bitPattern: file) else { return "an unknown place" }
    return "\(String(cString: name)):\(line)"
  }
}
