import ReunionCore
import Testing

@Suite struct MediaTypeTests {
  /// A file type box of these brands, the major one first.
  static func box(_ brands: String...) -> [UInt8] {
    let size = UInt8(12 + 4 * brands.count)
    let compatible = brands.dropFirst().flatMap { Array($0.utf8) }
    return [0, 0, 0, size] + Array("ftyp".utf8) + Array(brands[0].utf8) + [0, 0, 0, 0] + compatible
  }

  static let heads: [(head: [UInt8], type: MediaType)] = [
    ([0xff, 0xd8, 0xff, 0xe0], .jpeg), ([0x89] + Array("PNG\r\n\u{1a}\n".utf8), .png),
    (Array("RIFF....WEBPVP8 ".utf8), .webp), (Array("GIF89a".utf8), .gif),
    (box("heic", "mif1"), .heic), (box("mif1", "heic"), .heic), (box("mif1", "avif"), .avif),
    (box("avis"), .avif), (box("isom", "mp42"), .mp4), (box("qt  "), .mp4),
    (Array("II*\0".utf8), .tiff), (Array("MM\0*".utf8), .tiff), (Array("BM".utf8), .bmp),
    ([0xff, 0x0a], .jpegXL), (Array("\0\0\0\u{c}JXL \r\n".utf8), .jpegXL),
    (Array("\0\0\0\u{c}jP  \r\n".utf8), .jpeg2000), (Array("8BPS".utf8), .photoshop),
    (Array("%PDF-1.7".utf8), .pdf),
  ]

  @Test func `every kind of file is told by its first bytes, and by nothing later`() {
    #expect(Set(Self.heads.map(\.type)) == Set(MediaType.allCases))
    for (head, type) in Self.heads {
      #expect(MediaType(head: head) == type)
      #expect(MediaType(head: head + [UInt8](repeating: 0, count: 1_000)) == type)
      #expect(MediaType(head: [7] + head) == nil)
    }
  }

  @Test func `what is not whole, and what hides behind a name, tells nothing`() {
    for text in [
      "", "R", "RIFF....WEB", "RIFF....AVI ", "ftypheic", "<svg", "GIF8", "\0\0\0\u{c}ftyp",
    ] {
      #expect(MediaType(head: Array(text.utf8)) == nil, "\(text)")
    }
    // A box that claims to be longer than the file, and one whose brands come after its end.
    #expect(MediaType(head: [0xff, 0xff, 0xff, 0xff] + Self.box("heic").dropFirst(4)) == .heic)
    #expect(MediaType(head: [0, 0, 0, 16] + Self.box("isom", "avif").dropFirst(4)) == .mp4)
    let far = Array(repeating: "isom", count: 100).joined() + "avif"
    #expect(MediaType(head: [0, 0, 2, 0] + Array("ftypisom....".utf8) + Array(far.utf8)) == .mp4)
  }

  @Test func `kinds have different names, and pictures are told from the rest`() {
    #expect(Set(MediaType.allCases.map(\.fileExtension)).count == MediaType.allCases.count)
    #expect(MediaType.allCases.filter { !$0.isPicture } == [.mp4, .pdf])
  }
}
