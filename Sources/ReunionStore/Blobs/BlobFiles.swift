import ReunionCore

/// Where the blobs of a folder are.
enum BlobFiles {
  /// The file that a blob has or will have.
  static func path(of hash: BlobHash, in folder: String) -> String {
    let name = hash.description
    return "\(folder)/blobs/\(name.prefix(2))/\(name)"
  }
}
