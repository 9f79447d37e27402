import Foundation
import Testing

@testable import ReunionKeys

/// What is in a program that was built with a thousand keys.
@Suite struct BuiltProgramTests {
  /// Keys of 1 to 256 bytes, as the issue of keys has them.
  private static let keys: [[UInt8]] = {
    var random = SystemRandomNumberGenerator()
    return (0..<1000).map { index in
      (0..<index % 256 + 1).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
  }()
  /// Shorter ones are found in any program by chance.
  private static let searchedBytesMin = 8

  private static func source() throws -> String {
    let lines = keys.enumerated().map { "k\($0) = base64:\(Data($1).base64EncodedString())" }
    var random = SystemRandomNumberGenerator()
    return try KeyList(lines.joined(separator: "\n"), environment: [:])
      .source(type: "Keys", using: &random)
  }

  private static func fields(_ name: String, in source: String) throws -> [[UInt8]] {
    try source.matches(of: Regex("\(name): \"([0-9a-f]*)\"", as: (Substring, Substring).self))
      .map { match in
        let digits = Array(match.1.utf8)
        return stride(from: 0, to: digits.count, by: 2).map { at in
          UInt8(String(decoding: digits[at..<at + 2], as: UTF8.self), radix: 16) ?? 0
        }
      }
  }

  @Test func `every key comes back from its pad, and two builds share no pad`() throws {
    let (one, two) = (try Self.source(), try Self.source())
    let pads = try Self.fields("pad", in: one)
    let masked = try Self.fields("masked", in: one)
    #expect(zip(pads, masked).map { zip($0, $1).map { $0 ^ $1 } } == Self.keys)
    let others = try Self.fields("pad", in: two)
    // One byte is the same in a build of 256 by chance: those of four and more are not.
    let shared = zip(pads, others).count { $0.count >= 4 && $0 == $1 }
    #expect(shared == 0 && pads.count == 1000)
    // Nor does one build use a pad twice, or a pad that is a part of another one.
    let long = pads.filter { $0.count >= 8 }
    #expect(Set(long.map { Array($0.prefix(8)) }).count == long.count)
    // No byte of short keys is as it is but by chance: 1 in 256 of them.
    let plain = zip(Self.keys, masked).reduce(0) { $0 + zip($1.0, $1.1).count { $0 == $1 } }
    #expect(plain < Self.keys.reduce(0) { $0 + $1.count } / 100)
  }

  @Test func `a built program gives every key, and none is found in it in any usual guise`() throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = try Self.build(in: folder, control: Self.keys[200])
    let output = try Self.run(program, [])
    let printed = output.split(separator: "\n").map(String.init)
    #expect(printed == Self.keys.map { $0.map { String($0, radix: 16) }.joined(separator: " ") })

    let bytes = try Data(contentsOf: URL(filePath: program))
    let search = Search(bytes)
    for (index, key) in Self.keys.enumerated() where key.count >= Self.searchedBytesMin {
      #expect(search.guise(of: key) == (index == 200 ? "plain text" : nil), "key \(index)")
    }
    // Each guise is found where it is put (negative controls).
    let key = Self.keys[40]
    let guises: [(String, [UInt8])] = [
      ("plain text", key), ("hex", Array(key.map { hex($0, "0123456789abcdef") }.joined().utf8)),
      ("HEX", Array(key.map { hex($0, "0123456789ABCDEF") }.joined().utf8)),
      ("base64", Array(Data([1] + key).base64EncodedString().utf8)),
      ("one-byte XOR", key.map { $0 ^ 0x5A }),
    ]
    for (name, guise) in guises {
      #expect(Search(bytes + Data(guise)).guise(of: key)?.lowercased() == name.lowercased())
    }
  }

  private func hex(_ byte: UInt8, _ digits: String) -> String {
    let digits = Array(digits)
    return "\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
  }

  /// Builds the library's own sources and generated keys, optimised, as a program that prints them.
  private static func build(in folder: URL, control: [UInt8]) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let keys = try source().replacing("import ReunionKeys", with: "")
    try keys.write(to: folder.appending(path: "Keys.swift"), atomically: true, encoding: .utf8)
    // The control is as somebody writes a key who thinks of nothing.
    let plain = control.map { String(format: "\\x%02x", $0) }.joined(separator: "\" \"")
    try "const unsigned char control[] = \"\(plain)\";".write(
      to: folder.appending(path: "control.c"), atomically: true, encoding: .utf8)
    let calls = Self.keys.indices.map { "show(Keys.k\($0))" }.joined(separator: "\n")
    try """
    func show(_ key: ObfuscatedKey) {
      print(key.withBytes { $0.map { String($0, radix: 16) }.joined(separator: " ") })
    }
    \(calls)
    """.write(to: folder.appending(path: "main.swift"), atomically: true, encoding: .utf8)
    let include = root.appending(path: "C/CKeys/include")
    try "module CKeys { header \"\(include.path)/CKeys.h\" }".write(
      to: folder.appending(path: "module.modulemap"), atomically: true, encoding: .utf8)
    for (input, object) in [
      (root.appending(path: "C/CKeys/CKeys.c").path, "CKeys.o"),
      (folder.appending(path: "control.c").path, "control.o"),
    ] {
      _ = try run(
        "/usr/bin/env",
        [
          "clang", "-O2", "-c", "-I", include.path, input, "-o",
          folder.appending(path: object).path,
        ])
    }
    let program = folder.appending(path: "program").path
    let own = root.appending(path: "Sources/ReunionKeys/ObfuscatedKey.swift").path
    _ = try run(
      "/usr/bin/env",
      [
        "swiftc", "-O", "-wmo", "-I", folder.path, own,
        folder.appending(path: "Keys.swift").path, folder.appending(path: "main.swift").path,
        folder.appending(path: "CKeys.o").path, folder.appending(path: "control.o").path, "-o",
        program,
      ])
    return program
  }

  private struct Failure: Error { let output: String }

  private static func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = String(
      decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(output: "\(program) \(arguments.first ?? ""): \(process.terminationStatus)")
    }
    return output
  }
}
