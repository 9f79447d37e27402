/// What a database answered instead of doing what it was asked.
package struct DatabaseError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What it says, without a full stop: "no such table: book".
  package let message: String
  /// The database's own code: a SQLSTATE such as "42P01", or SQLite's extended number.
  package let code: String
  /// Where in the statement, counted in bytes of its UTF-8 from 0; nil where it does not say.
  package let offset: Int?
  /// Whether the connection is gone, or could not be made: nothing more can be asked over it.
  package let isDisconnected: Bool

  package init(_ message: String, code: String, offset: Int? = nil, isDisconnected: Bool = false) {
    self.message = message
    self.code = code
    self.offset = offset
    self.isDisconnected = isDisconnected
  }

  /// Whether another program writes just now, so that it may go later.
  func isBusy(_ dialect: Dialect) -> Bool {
    dialect == .sqlite && (Int(code) ?? 0) & 0xff == 5
  }

  package var description: String { message }
}
