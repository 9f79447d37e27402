/// A picture that was refused, or could not be made into renditions.
///
/// ```swift
/// let renderer = ImageRenderer()
/// do {
///   _ = try await renderer.render("/photos/notes.txt", longEdges: [512])
/// } catch {
///   print(error.code, error)    // notAnImage This file is not a picture. …
///   if error.code == .workerUnavailable { print("For the log:", error.detail) }
/// }
/// ```
///
/// Most codes say something of the picture, and the same one fails again. `workerUnavailable` and
/// `tooManyWaiting` do not: try again later. `badRequest` is the caller's mistake.
public struct ImageError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What went wrong; more codes may be added.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code, the same in all versions.
    public let description: String

    /// The file is not a picture, whatever its name says.
    public static let notAnImage = Code(description: "notAnImage")
    /// The file ends before the picture does: an upload that was cut off.
    public static let truncated = Code(description: "truncated")
    /// The picture's data cannot be decoded.
    public static let damaged = Code(description: "damaged")
    /// The picture has more pixels than ``ImageLimits/pixelsMax``.
    public static let tooManyPixels = Code(description: "tooManyPixels")
    /// Decoding the picture takes more memory than ``ImageLimits/memoryBytesMax``.
    public static let tooLargeForMemory = Code(description: "tooLargeForMemory")
    /// The file has more bytes than ``ImageLimits/fileBytesMax``.
    public static let tooManyBytes = Code(description: "tooManyBytes")
    /// A picture in a format that is not decoded, such as TIFF.
    public static let unsupportedFormat = Code(description: "unsupportedFormat")
    /// The picture took longer than ``ImageLimits/secondsMax``.
    public static let tooSlow = Code(description: "tooSlow")
    /// The worker died while it decoded this picture; the next picture gets a new worker.
    public static let workerDied = Code(description: "workerDied")
    /// The worker could not be started, or got no thread: a fault of the program or the machine,
    /// not of the picture.
    public static let workerUnavailable = Code(description: "workerUnavailable")
    /// The file could not be opened or read.
    public static let unreadable = Code(description: "unreadable")
    /// A preview that is too large, or neither JPEG nor WebP.
    public static let badPreview = Code(description: "badPreview")
    /// A preview that says more than its pixels: EXIF, XMP, a comment, or bytes after its end.
    public static let previewHasMetadata = Code(description: "previewHasMetadata")
    /// The person has ``ImageLimits/waitingMax`` pictures waiting already.
    public static let tooManyWaiting = Code(description: "tooManyWaiting")
    /// A call with impossible arguments: no such long edge, or a path with a zero byte.
    public static let badRequest = Code(description: "badRequest")
  }

  /// What went wrong.
  public let code: Code
  /// What the decoder or the system said, for a log; may be empty.
  public let detail: String

  /// Creates an error.
  public init(_ code: Code, detail: String = "") {
    self.code = code
    self.detail = detail
  }

  /// A sentence for the person who chose the picture, with what to do.
  public var description: String {
    switch code {
    case .notAnImage:
      "This file is not a picture. Choose a JPEG, PNG, WebP, HEIC, AVIF or GIF photo."
    case .truncated: "This picture is incomplete. Send it again."
    case .damaged: "This picture is damaged. Send it again, or choose another one."
    case .tooManyPixels: "This picture has too many pixels. Choose a smaller one."
    case .tooLargeForMemory:
      "This picture is too large for the memory of this server. Choose a smaller one."
    case .tooManyBytes: "This file is too large. Choose a smaller picture."
    case .unsupportedFormat:
      "Pictures of this format cannot be shown. Choose a JPEG, PNG, WebP, HEIC, AVIF or GIF photo."
    case .tooSlow, .workerDied:
      "This picture could not be processed. Save it as a JPEG and send that, or choose another one."
    case .workerUnavailable:
      "Pictures cannot be processed right now. Ask whoever runs this server to look at its log."
    case .tooManyWaiting: "Too many of your pictures are already waiting. Try again in a minute."
    case .unreadable: "This picture could not be read. Send it again."
    case .badPreview:
      "A preview must be a JPEG or WebP of at most 640 pixels and 128 KiB. Send the photo itself."
    case .previewHasMetadata:
      "This preview carries metadata, such as a place. Send one without, or the photo itself."
    case .badRequest: "This request for a picture is not valid. Check its sizes and its path."
    default: "This picture could not be processed (\(code)). Choose another one."
    }
  }
}
