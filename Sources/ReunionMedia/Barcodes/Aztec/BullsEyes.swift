/// Finds the middles of Aztec codes: rings of alternating dark and light, each a module wide.
///
/// A line through the middle, at any angle, crosses seven runs of about one length around it.
struct BullsEyes {
  struct Eye: Hashable {
    var x: Double
    var y: Double
    var modulePixels: Double
    var votes = 1
  }

  private static let eyesMax = 12
  private let width: Int
  private let height: Int
  /// 0 for dark, 255 for light.
  private let pixels: [UInt8]

  /// Takes a picture of black and white pixels.
  init(_ picture: GreyPicture) {
    (width, height, pixels) = (picture.width, picture.height, picture.pixels)
  }

  /// The likeliest middles first.
  var eyes: [Eye] {
    var eyes: [Eye] = []
    for y in 0..<height {
      for run in sevens(y) {
        guard let eye = eye(at: run, y) else { continue }
        let near = eyes.firstIndex {
          abs($0.x - eye.x) < 2 * eye.modulePixels && abs($0.y - eye.y) < 2 * eye.modulePixels
        }
        if let near { eyes[near].votes += 1 } else { eyes.append(eye) }
      }
    }
    return Array(eyes.sorted { $0.votes > $1.votes }.prefix(Self.eyesMax))
  }

  /// The middles of seven runs of about one length in a row, light ones outside.
  private func sevens(_ y: Int) -> [(middle: Double, modulePixels: Double)] {
    var found: [(Double, Double)] = []
    pixels.withUnsafeBufferPointer { pixels in
      var ends: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)
      let row = y * width
      for x in 1..<max(width, 1) where pixels[row + x] != pixels[row + x - 1] {
        ends = (ends.1, ends.2, ends.3, ends.4, ends.5, ends.6, ends.7, x)
        // A light run has just ended, and seven ago one began.
        guard pixels[row + x] == 0, ends.0 > 0 else { continue }
        let module = Double(ends.7 - ends.0) / 7
        let (least, most) = (module * 0.5, module * 1.6)
        func fits(_ from: Int, _ to: Int) -> Bool {
          let length = Double(to - from)
          return length >= least && length <= most
        }
        guard module >= 1.3, fits(ends.3, ends.4), fits(ends.0, ends.1), fits(ends.1, ends.2),
          fits(ends.2, ends.3), fits(ends.4, ends.5), fits(ends.5, ends.6), fits(ends.6, ends.7)
        else { continue }
        found.append((Double(ends.3 + ends.4 - 1) / 2, module))
      }
    }
    return found
  }

  /// The same upwards and downwards, and the module's size from both.
  private func eye(at run: (middle: Double, modulePixels: Double), _ y: Int) -> Eye? {
    let x = Int(run.middle)
    guard let (up, down) = across(x, y, run.modulePixels) else { return nil }
    let vertical = Double(down - up) / 7
    guard vertical > run.modulePixels * 0.5, vertical < run.modulePixels * 2 else { return nil }
    let middle = Double(up + down - 1) / 2
    guard abs(middle - Double(y)) < vertical else { return nil }
    return Eye(x: run.middle, y: middle, modulePixels: (vertical + run.modulePixels) / 2)
  }

  /// Where the third light run above begins, and the one below ends.
  private func across(_ x: Int, _ y: Int, _ module: Double) -> (Int, Int)? {
    var ends: [Int] = []
    for step in [-1, 1] {
      var (at, changes, runStart) = (y, 0, y)
      while changes < 4 {
        at += step
        guard at >= 0, at < height else { return nil }
        guard pixels[at * width + x] != pixels[(at - step) * width + x] else {
          if Double(abs(at - runStart)) > module * 3.2 { return nil }
          continue
        }
        if changes > 0, Double(abs(at - runStart)) < module * 0.4 { return nil }
        (changes, runStart) = (changes + 1, at)
      }
      ends.append(step < 0 ? at + 1 : at)
    }
    return (ends[0], ends[1])
  }
}
