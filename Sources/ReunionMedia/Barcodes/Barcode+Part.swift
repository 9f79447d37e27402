extension Barcode {
  /// One of several codes that hold a text together: a structured append of QR Code, Data Matrix or
  /// Aztec Code, or a Macro PDF417.
  public struct Part: Sendable, Hashable {
    /// Which one it is, from 1.
    public let number: Int
    /// Of how many; nil where the code does not say.
    public let count: Int?
    /// What all parts of one text say alike: for a QR Code the parity of the whole, else an id.
    public let sequence: String

    /// Creates a part.
    public init(number: Int, count: Int?, sequence: String) {
      (self.number, self.count, self.sequence) = (number, count, sequence)
    }

    /// A part as a decoder numbers it, from 0, with 0 for an unknown count; nil where it is none.
    init?(index: Int, count: Int, sequence: String) {
      guard index >= 0, index < 1 << 20, count == 0 || index < count else { return nil }
      self.init(number: index + 1, count: count == 0 ? nil : count, sequence: sequence)
    }
  }
}
