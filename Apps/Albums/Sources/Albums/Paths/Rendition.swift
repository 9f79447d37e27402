import Reunion
import ReunionCore

/// A JPEG that is made from an original and an edit of it: what `/renditions/…` names.
struct Rendition: Hashable, Sendable {
  /// How large it is.
  enum Size: Hashable, Sendable {
    /// A longer side of at most this many pixels: 320 or 2048.
    case longEdge(Int)
    /// As many pixels as the edit shows; for whoever may have the original.
    case full
  }

  /// The original.
  let original: BlobHash
  /// What was done to it.
  let edit: PictureEdit
  /// How large it is.
  let size: Size

  /// Names a rendition.
  init(of original: BlobHash, edit: PictureEdit = .original, size: Size) {
    self.original = original
    self.edit = edit
    self.size = size
  }

  /// Reads the parts of a path after `/renditions/`: hash, `320`, `2048` or `full`, and an edit that
  /// may be missing; nil for anything else.
  init?(path parts: some BidirectionalCollection<String>) {
    var rest = Array(parts)
    guard rest.count == 2 || rest.count == 3 else { return nil }
    let edit = rest.count == 3 ? PictureEdit(rest.removeLast()) : .original
    guard let edit, let hash = BlobHash(rest[0]) else { return nil }
    switch rest[1] {
    case "320": self.init(of: hash, edit: edit, size: .longEdge(320))
    case "2048": self.init(of: hash, edit: edit, size: .longEdge(2048))
    case "full": self.init(of: hash, edit: edit, size: .full)
    default: return nil
    }
  }
}

extension Rendition: CustomStringConvertible {
  /// Its name: the parts of its path with hyphens between, without the edit if there is none.
  var description: String {
    let size = if case .longEdge(let pixels) = size { "\(pixels)" } else { "full" }
    return "\(original)-\(size)" + (edit == .original ? "" : "-\(edit)")
  }
}
