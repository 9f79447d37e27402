/// Why a server could not start, in a sentence that names the object and the remedy.
///
/// ```swift
/// do {
///   let options = try ServeOptions(["/var/lib/notes", "--port", "http"])
///   print(try SpaceService.check(options))
/// } catch let error as ServerError where error.code == .invalidOption {
///   print("\(error) Try --help.")    // --port takes a number from 0 to 65535, not http.
/// }
/// ```
public struct ServerError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of failure it is. More codes may be added.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The code's name, for logs.
    public let name: String
    /// The code's name.
    public var description: String { name }

    /// Another program listens on the port.
    public static let portInUse = Code(name: "portInUse")
    /// The address belongs to no interface of this machine, or is no address.
    public static let addressUnavailable = Code(name: "addressUnavailable")
    /// The port needs a privilege that this process lacks.
    public static let notPermitted = Code(name: "notPermitted")
    /// An option of the command line is unknown, or its value is not valid.
    public static let invalidOption = Code(name: "invalidOption")
    /// The configuration file cannot be read, or makes no sense.
    public static let badFile = Code(name: "badFile")
    /// The folder of the server's data cannot be used.
    public static let badFolder = Code(name: "badFolder")
    /// A folder of pages cannot be read.
    public static let noPages = Code(name: "noPages")
    /// The system has no thread, descriptor or event loop left.
    public static let noResources = Code(name: "noResources")
  }

  /// The kind of failure.
  public let code: Code
  /// One sentence for a person.
  public let description: String

  /// Makes an error from its code and sentence.
  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
