import Reunion
import ReunionCore
import Testing

@testable import Albums

@Suite struct RenditionTests {
  private let hash = String(repeating: "ab", count: 32)
  private let edit = "0100000000ffff8000"

  @Test func `reads a rendition's path, with an edit or without one`() throws {
    let plain = try #require(Rendition(path: [hash, "320"]))
    #expect(plain.edit == .original && plain.size == .longEdge(320))
    #expect("\(plain)" == "\(hash)-320")
    let edited = try #require(Rendition(path: [hash, "2048", edit]))
    #expect(edited.edit == PictureEdit(edit) && "\(edited)" == "\(hash)-2048-\(edit)")
    #expect(Rendition(path: [hash, "full", edit])?.size == .full)
    // One name for one picture: the edit that changes nothing is none.
    #expect(Rendition(path: [hash, "320", "0000000000ffffffff"]) == plain)
  }

  @Test(arguments: [
    [], ["320"], ["", "320"], ["zz", "320"], ["HASH"], ["HASH", "321"], ["HASH", "-320"],
    ["HASH", "320", ""], ["HASH", "320", "01"], ["HASH", "320", "EDIT0"],
    ["HASH", "320", "../EDIT"],
    ["HASH", "320", "0400000000ffff8000"], ["HASH", "320", "0100000000FFFF8000"],
    ["HASH", "320", "01ffff0000ffff8000"], ["HASH", "320", "EDIT", "EDIT"],
  ])
  func `refuses every other path`(_ parts: [String]) {
    let filled = parts.map {
      $0.replacing("HASH", with: hash).replacing("EDIT", with: edit)
    }
    #expect(Rendition(path: filled) == nil)
  }

  @Test func `nothing that a request can ask for ends the server, and what is read is one name`() {
    var random = SystemRandomNumberGenerator()
    let parts = [
      hash, edit, "320", "full", "", "..", "%00", "-1", "99999999999999999999", "é", "2048",
    ]
    for _ in 0..<20_000 {
      let path = (0..<Int.random(in: 0...4)).map { _ in
        var part = Array(parts.randomElement(using: &random)?.utf8 ?? "".utf8)
        if Bool.random(), let at = part.indices.randomElement() { part[at] = .random(in: 0...255) }
        return String(decoding: part, as: UTF8.self)
      }
      guard let rendition = Rendition(path: path) else { continue }
      #expect("\(rendition)".allSatisfy { $0.isHexDigit || "-full".contains($0) }, "\(path)")
    }
  }
}
