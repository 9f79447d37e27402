import Testing

@testable import ScreenTimeCore

@Suite struct ProgramNameTests {
  @Test(arguments: [
    ("/usr/lib/firefox-esr/firefox-esr", "Firefox-esr", "Navigator", "firefox-esr"),
    // What a window says counts only where the file says nothing.
    ("/home/child/game", "Editor", "editor", "game"),
    ("", "XCalc", "xcalc", "xcalc"),
    ("", "", "xcalc", "xcalc"),
    ("/usr/bin/python3.11", "Anki", "anki", "anki"),
    ("/usr/bin/python3.11", "", "", "python3.11"),
    ("/usr/bin/bwrap", "org.gnome.Chess", "", "org.gnome.chess"),
    ("/usr/games/chess (deleted)", "", "", "chess"),
    ("", "A\u{1B}[31m\nB", "", "a[31mb"),
    ("", "", "", ""),
  ])
  func `a program is its file, and else its window's class`(
    executable: String, className: String, instance: String, name: String
  ) {
    #expect(
      ProgramName.of(executable: executable, className: className, instance: instance) == name)
  }

  @Test func `a name of any length becomes one that a record takes`() {
    let name = ProgramName.of(
      executable: "", className: String(repeating: "é", count: 5000), instance: "")
    #expect(name.utf8.count == 200)
  }
}
