/// A barcode that could not be made.
///
/// ```swift
/// do {
///   _ = try BarcodeMatrix(encoding: "9780143007235", as: .ean13)
/// } catch {
///   print(error.code, error.message)    // badCheckDigit: the last digit is not that of the others
/// }
/// ```
///
/// The text is at fault, and the message says what to do about it, or which symbology can carry it.
public struct BarcodeError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What went wrong; more codes may be added.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code, the same in all versions.
    public let description: String

    /// The text is empty, or longer than the code can hold.
    public static let badLength = Code(description: "badLength")
    /// The text has a character that the symbology lacks.
    public static let badCharacter = Code(description: "badCharacter")
    /// The last digit of the text is not the check digit of the others.
    public static let badCheckDigit = Code(description: "badCheckDigit")
    /// The encoder refused the text.
    public static let encodingFailed = Code(description: "encodingFailed")
  }

  /// What went wrong.
  public let code: Code
  /// A sentence for a person, with what to do.
  public let message: String

  /// The message.
  public var description: String { message }
}
