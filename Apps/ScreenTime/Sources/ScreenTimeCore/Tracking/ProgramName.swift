/// What a program is called: by what runs, and else by what its window says.
public enum ProgramName {
  /// Programs that run others: their own name says nothing of what is used.
  private static let runners = [
    "python", "perl", "ruby", "java", "node", "electron", "wine", "bwrap", "mono", "gjs", "bash",
    "dash", "sh", "env", "qemu", "dotnet", "lua", "php",
  ]

  /// The name of a window's program: at most 200 bytes, empty where nothing is known.
  ///
  /// A window may call itself anything. So where its process is known and is not one that runs
  /// others, such as Python, its file is its name; otherwise the class of the window, in small
  /// letters.
  public static func of(executable: String, className: String, instance: String) -> String {
    let file = clean(executable.split(separator: "/").last.map(String.init) ?? "")
    let letters = String(file.prefix { $0.isLetter })
    if !file.isEmpty, !runners.contains(letters) { return file }
    for name in [className, instance] {
      let name = clean(name.lowercased())
      if !name.isEmpty { return name }
    }
    return file
  }

  /// Without control characters and " (deleted)", which the kernel adds where a file was replaced.
  private static func clean(_ name: String) -> String {
    var kept = name
    if kept.hasSuffix(" (deleted)") { kept.removeLast(10) }
    kept.unicodeScalars.removeAll { $0.value < 32 || (127...159).contains($0.value) }
    while kept.utf8.count > 200 { kept.removeLast() }
    while kept.last == " " { kept.removeLast() }
    return kept
  }
}
