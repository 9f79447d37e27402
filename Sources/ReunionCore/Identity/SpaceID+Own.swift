#if !hasFeature(Embedded)
  extension SpaceID {
    /// The id of a space of a person's own, by its name: of no other kind of space does an id come out so.
    package static func own(of person: String, named name: String) -> SpaceID {
      let bytes = Array("reunion own space\0\(person)\0\(name)".utf8)
      return SpaceID(bytes: Array(SHA256.hash(bytes)[..<16])) ?? SpaceID(high: 0, low: 0)
    }
  }
#endif
