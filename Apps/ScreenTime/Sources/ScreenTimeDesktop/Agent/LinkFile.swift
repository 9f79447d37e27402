/// The family's links, in a file for its owner alone, so that later starts need none.
struct LinkFile {
  private let file: PrivateFile

  init(in folder: String) { file = PrivateFile(path: folder + "/links") }

  /// The links that were given, kept from now on; or those that were kept.
  ///
  /// - Throws: `Failure`, if there are none, or they cannot be kept.
  func links(given: [String]) throws -> [String] {
    guard !given.isEmpty else {
      let links = file.text.split(separator: "\n").map(String.init)
      guard links.count == 2 else {
        throw Failure("No family is known here. Start once with its link: screentime-agent LINK.")
      }
      return links
    }
    guard given.count == 2 else {
      throw Failure(
        "That link opens one space. Give the link of use and the link of limits, or one that holds both."
      )
    }
    try file.write(given.joined(separator: "\n") + "\n")
    return given
  }
}
