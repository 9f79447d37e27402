/// The dark and light modules of a two-dimensional barcode, quiet zone included.
///
/// ```swift
/// let ticket = try BarcodeMatrix(encoding: "https://example.org/t/4711", as: .qr)
/// print(ticket.terminal(), ticket.width, ticket.height)
/// try Data(ticket.png(modulePixels: 6)).write(to: URL(filePath: "/tmp/ticket.png"))
/// ```
///
/// A value: any thread may use it. Drawings are in `BarcodeMatrix+SVG` and
/// `BarcodeMatrix+Terminal`.
public struct BarcodeMatrix: Sendable, Hashable {
  /// Modules in a row, quiet zone included.
  public let width: Int
  /// Rows of modules, quiet zone included.
  public let height: Int
  /// The modules row by row, `true` for dark; `width * height` of them.
  public let modules: [Bool]

  /// Creates a matrix, or nil when `modules` does not hold `width * height` modules.
  public init?(width: Int, height: Int, modules: [Bool]) {
    guard (1...1024).contains(width), (1...1024).contains(height) else { return nil }
    guard modules.count == width * height else { return nil }
    self.width = width
    self.height = height
    self.modules = modules
  }

  /// Tells whether a module is dark; outside of the matrix everything is light.
  public func isDark(_ x: Int, _ y: Int) -> Bool {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return false }
    return modules[y * width + x]
  }

  /// The dark runs of a row, from left to right.
  func darkRuns(row: Int) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var x = 0
    while x < width {
      guard isDark(x, row) else {
        x += 1
        continue
      }
      let start = x
      while isDark(x, row) { x += 1 }
      runs.append(start..<x)
    }
    return runs
  }
}
