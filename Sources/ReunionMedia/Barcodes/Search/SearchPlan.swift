/// The copies of a picture in which codes are looked for, in order.
///
/// The order is by what each found on photographs beyond those before it; what comes late finds
/// little, and costs as much.
struct SearchPlan {
  /// Looked at whatever was found, since a picture may hold codes of several sizes.
  var always: [SearchStep] = []
  /// Looked at for kinds that zxing finds in the middle of a picture alone.
  var centred: [SearchStep] = []
  /// Looked at until something is found.
  var further: [SearchStep] = []

  /// Pixels that all steps together look at: about two seconds.
  private static let pixelsMax = 60_000_000
  /// Long side of the copies that are treated, about.
  private static let workPixels = 1400
  private static let shortSideMin = 60

  init(width: Int, height: Int) {
    let (long, short, count) = (max(width, height), min(width, height), width * height)
    let factors = [1, 2, 3, 4, 6, 8, 12, 16].filter { $0 == 1 || short / $0 >= Self.shortSideMin }
    always = [SearchStep(size: .shrunk(1), linesMin: 8), SearchStep(size: .shrunk(1))]
    always += [SearchStep(size: .shrunk(1), treatment: .inverted, linesMin: 8)]
    always += factors.dropFirst().map { SearchStep(size: .shrunk($0), linesMin: 4) }

    // The size at which a photograph is worked on, one that is finer and one that is coarser.
    let work = factors.last { long / $0 >= Self.workPixels } ?? 1
    let finer: SearchStep.Size =
      work > 1 ? .shrunk(factors.last { $0 < work } ?? 1) : .scaled(long <= 700 ? 2 : 1.41)
    let coarser = factors.first { $0 > work }.map { SearchStep.Size.shrunk($0) }
    let middle = SearchStep.Size.shrunk(work)
    centred = [SearchStep(size: middle)]
    if let coarser { centred.append(SearchStep(size: coarser)) }
    func add(_ size: SearchStep.Size?, _ treatments: SearchStep.Treatment...) {
      guard let size else { return }
      further += treatments.map { SearchStep(size: size, treatment: $0) }
    }
    add(finer, .sharpened(radius: 2, amount: 8))
    add(middle, .thresholded(part: 24, offset: 4), .sharpened(radius: 4, amount: 12))
    add(middle, .turned(degrees: 67.5), .turned(degrees: 22.5))
    add(coarser, .flattened(part: 16), .sharpened(radius: 2, amount: 8))
    add(middle, .flattened(part: 16), .turned(degrees: 45), .thresholded(part: 12, offset: 8))
    add(finer, .plain, .sharpened(radius: 4, amount: 12), .thresholded(part: 24, offset: 4))
    add(middle, .median)
    add(coarser, .thresholded(part: 24, offset: 4), .turned(degrees: 67.5), .turned(degrees: 22.5))
    add(finer, .turned(degrees: 22.5), .turned(degrees: 67.5))

    var left = max(Self.pixelsMax - always.reduce(0) { $0 + $1.pixels(of: count) }, 0)
    further = further.filter { step in
      left -= step.pixels(of: count)
      return left >= 0
    }
  }
}
