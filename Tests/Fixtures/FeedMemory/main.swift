import Foundation
import ReunionFeeds

// Reads a feed that it makes as it goes, and prints the entries and the most memory that took, in
// bytes: `stream` lets go of each entry, `keep` keeps all, `attribute` sends one of 12 MB in pieces.
let mode = CommandLine.arguments.dropFirst().first ?? "stream"
let body = String(repeating: "x", count: 2_000)
let piece = Array(
  String(
    repeating: "<entry><id>an id of many letters</id><title>\(body)</title></entry>", count: 50
  )
  .utf8)
let parser = FeedParser()
var kept: [FeedEntry] = []
var count = 0

@MainActor func push(_ bytes: [UInt8]) throws {
  try parser.push(bytes) { entry in
    count += 1
    if mode == "keep" { kept.append(entry) }
  }
}

do {
  try push(Array("<feed xmlns=\"http://www.w3.org/2005/Atom\">".utf8))
  try push(piece)
  if mode == "attribute" {
    try push(Array("<entry><link href=\"".utf8))
    let part = [UInt8](repeating: 120, count: 1_000)
    for _ in 0..<12_000 { try push(part) }
  } else {
    for _ in 0..<800 { try push(piece) }
  }
  try push(Array("</feed>".utf8))
  try parser.finish()
} catch {
  print(error)
}
let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
print(count, (Int(line.filter(\.isNumber)) ?? 0) << 10)
