import Foundation
import Testing

@testable import ScreenTimeDesktop

/// What the agent gives back, and what it must keep.
@Suite struct ProgramCodeTests {
  /// A page of a file, mapped for this process alone.
  final class Page {
    let address: UnsafeMutableRawPointer
    static let byteCount = Int(getpagesize())

    init(of path: String, _ protection: Int32) throws {
      let file = open(path, O_RDONLY | O_CLOEXEC)
      defer { close(file) }
      address = try #require(mmap(nil, Self.byteCount, protection, MAP_PRIVATE, file, 0))
      try #require(address != MAP_FAILED)
    }

    var bytes: [UInt8] { Array(UnsafeRawBufferPointer(start: address, count: Self.byteCount)) }

    /// Whether the process holds it in memory.
    func isHeld() throws -> Bool {
      let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
      let map = String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
      let mine = String(UInt(bitPattern: address), radix: 16) + "-"
      let lines = map.split(separator: "\n").drop { !$0.hasPrefix(mine) }
      let held = try #require(lines.first { $0.hasPrefix("Rss:") })
      return !held.split(separator: " ").contains("0")
    }

    deinit { munmap(address, Self.byteCount) }
  }

  @Test func `code goes and comes again, and what was written stays`() throws {
    // This program itself: a folder for files may allow no code.
    let path = "/proc/self/exe"
    let program = try #require(FileHandle(forReadingAtPath: path))
    let written = Array(try #require(try program.read(upToCount: Page.byteCount)))
    let code = try Page(of: path, PROT_READ | PROT_EXEC)
    let data = try Page(of: path, PROT_READ | PROT_WRITE)
    // As a library's addresses are: written at its start, and closed then.
    let closed = try Page(of: path, PROT_READ | PROT_WRITE)
    for page in [data, closed] { page.address.storeBytes(of: 255, as: UInt8.self) }
    mprotect(closed.address, Page.byteCount, PROT_READ)
    #expect(code.bytes == written)
    #expect(try code.isHeld())
    ProgramCode.giveBack()
    #expect(try !code.isHeld())
    #expect(code.bytes == written)
    #expect(data.bytes[0] == 255 && closed.bytes[0] == 255)
    // It would be lost where it was given back too.
    madvise(closed.address, Page.byteCount, MADV_DONTNEED)
    #expect(closed.bytes == written)
  }

  @Test func `only what maps code from a file is given back`() {
    let line = "7f12a000-7f12c000 r-xp 00002000 08:01 4711  /usr/lib/a library.so"
    #expect(ProgramCode.code(in: line) == 0x7f12_a000..<0x7f12_c000)
    for other in [
      line.replacing("r-xp", with: "r--p"), line.replacing("r-xp", with: "rwxp"),
      line.replacing("r-xp", with: "r-xs"), line.replacing("4711", with: "0"),
      "7ffe4000-7ffe6000 r-xp 00000000 00:00 0  [vdso]", "7f12c000-7f12a000 r-xp 0 08:01 1 /x",
      "zz-yy r-xp 0 08:01 1 /x", "", "\n",
    ] {
      #expect(ProgramCode.code(in: other) == nil)
    }
  }
}
