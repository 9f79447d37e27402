extension BarcodeMatrix {
  /// How a matrix is drawn in a terminal.
  public enum TerminalStyle: Sendable, Hashable {
    /// Black on white by ANSI colours that no theme changes, so that it scans on any background.
    case colored
    /// Without colours: light modules are drawn, for a dark background.
    case plainOnDark
    /// Without colours: dark modules are drawn, for a light background or paper.
    case plainOnLight
  }

  /// Draws the matrix with half-blocks, two rows of modules to a line of text.
  ///
  /// Each of the `(height + 1) / 2` lines has `width` characters besides colours, and ends with a
  /// line feed.
  public func terminal(_ style: TerminalStyle = .colored) -> String {
    // Colours 16 and 231 of the fixed colour cube: themes change the first sixteen only.
    let start = style == .colored ? "\u{1B}[38;5;16;48;5;231m" : ""
    let end = style == .colored ? "\u{1B}[0m\n" : "\n"
    let draws = style != .plainOnDark
    var text = ""
    for row in stride(from: 0, to: height, by: 2) {
      text += start
      for x in 0..<width {
        switch (isDark(x, row) == draws, isDark(x, row + 1) == draws) {
        case (true, true): text += "█"
        case (true, false): text += "▀"
        case (false, true): text += "▄"
        case (false, false): text += " "
        }
      }
      text += end
    }
    return text
  }
}
