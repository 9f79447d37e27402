package import Reunion

extension Model {
  /// The records of a family.
  package static var family: Model { .screenTime }
}
