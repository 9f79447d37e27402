/// A file, or all files of a folder, that stand in the place of the entry that names them.
struct Include {
  let path: String
  let isFolder: Bool
  /// Whether the path begins where the file is that has the entry.
  let isRelative: Bool
  let inclusion: Changeset.Inclusion
  /// Whether a folder that is not there, or has no file, is refused.
  var needsFiles = true
  let place: Place
}
