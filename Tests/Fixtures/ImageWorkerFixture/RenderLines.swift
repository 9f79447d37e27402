import ReunionCore
import ReunionMedia

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Renders as lines of standard input ask for it, for programs in other languages: `path`, an edit's
/// eighteen digits, `format`, then `long edge=file` for each rendition, with tabs between. Answers a
/// line each, `ok` or the error's code.
func renderLines() async {
  let renderer = ImageRenderer()
  while let line = readLine() {
    let words = line.split(separator: "\t").map(String.init)
    guard words.count > 3, let edit = PictureEdit(words[1]),
      let format = ImageFormat(rawValue: words[2])
    else { exit(65) }
    let wanted = words.dropFirst(3).compactMap { word -> (Int, String)? in
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      return Int(parts[0]).map { ($0, parts[1]) }
    }
    do throws(ImageError) {
      let image = try await renderer.render(
        words[0], longEdges: wanted.map(\.0), edit: edit, as: format)
      for (edge, file) in wanted {
        guard let found = image.renditions.first(where: { $0.longEdge == edge }),
          let out = fopen(file, "w")
        else { exit(74) }
        fwrite(found.bytes, 1, found.bytes.count, out)
        fclose(out)
      }
      print("ok")
    } catch {
      print(error.code)
    }
    fflush(nil)
  }
}
