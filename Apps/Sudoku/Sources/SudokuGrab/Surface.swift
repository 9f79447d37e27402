/// One cubic surface through the offsets of ten lines: the paper bends them together.
struct Surface {
  private struct Sample {
    let terms: [Float]
    let offset: Float
    let weight: Float
  }

  private static let termCount = 10
  private var samples: [Sample] = []
  private var factors = [Float](repeating: 0, count: termCount)

  init(_ offsets: [[Float]], response: (_ line: Int, _ sample: Int, _ offset: Float) -> Float) {
    for (line, path) in offsets.enumerated() {
      for sample in stride(from: 0, to: path.count, by: 2) {
        // The thick lines lead.
        let strength = response(line, sample, path[sample])
        samples.append(
          Sample(
            terms: Self.terms(Float(line), Float(sample)), offset: path[sample],
            weight: strength * strength + 0.01))
      }
    }
  }

  private static func terms(_ line: Float, _ sample: Float) -> [Float] {
    let u = line / 4.5 - 1
    let v = 2 * sample / Float(Straightening.sampleCount - 1) - 1
    return [1, u, v, u * u, u * v, v * v, u * u * u, u * u * v, u * v * v, v * v * v]
  }

  func value(_ line: Int, _ sample: Int) -> Float {
    value(Float(line), Float(sample))
  }

  /// The offset at a place of the straightened picture; beyond the grid that of its edge.
  func value(across: Float, along: Float) -> Float {
    let line = (across - Float(Straightening.margin)) / Float(Straightening.cell)
    let sample = (along - Float(Straightening.margin)) / Float(Straightening.step)
    return value(
      max(0, min(9, line)), max(0, min(Float(Straightening.sampleCount - 1), sample)))
  }

  private func value(_ line: Float, _ sample: Float) -> Float {
    let u = line / 4.5 - 1
    let v = 2 * sample / Float(Straightening.sampleCount - 1) - 1
    let f = factors
    let constant = f[0] + v * (f[2] + v * (f[5] + v * f[9]))
    let linear = f[1] + v * (f[4] + v * f[8])
    return constant + u * (linear + u * (f[3] + v * f[7] + u * f[6]))
  }

  /// Least squares, six times: what lies far off weighs less each time.
  mutating func fit() {
    for round in 0..<6 {
      let n = Self.termCount
      var matrix = [Double](repeating: 0, count: n * (n + 1))
      for sample in samples {
        let value = zip(factors, sample.terms).reduce(0) { $0 + $1.0 * $1.1 }
        let rest = (sample.offset - value) / 1.5
        let weight = Double(round == 0 ? sample.weight : sample.weight / (1 + rest * rest))
        for i in 0..<n {
          let left = weight * Double(sample.terms[i])
          for j in 0..<n { matrix[i * (n + 1) + j] += left * Double(sample.terms[j]) }
          matrix[i * (n + 1) + n] += left * Double(sample.offset)
        }
      }
      for i in 0..<n { matrix[i * (n + 1) + i] += 1e-3 }
      factors = Self.solved(&matrix, n).map(Float.init)
    }
  }

  /// Gauss's elimination; the matrix is positive, so that no rows are swapped.
  private static func solved(_ matrix: inout [Double], _ n: Int) -> [Double] {
    for i in 0..<n {
      for row in (i + 1)..<max(i + 1, n) {
        let factor = matrix[row * (n + 1) + i] / matrix[i * (n + 1) + i]
        for j in i...n { matrix[row * (n + 1) + j] -= factor * matrix[i * (n + 1) + j] }
      }
    }
    var result = [Double](repeating: 0, count: n)
    for i in (0..<n).reversed() {
      let known = ((i + 1)..<max(i + 1, n)).reduce(0) { $0 + matrix[i * (n + 1) + $1] * result[$1] }
      result[i] = (matrix[i * (n + 1) + n] - known) / matrix[i * (n + 1) + i]
    }
    return result
  }
}
