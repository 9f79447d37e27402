import Foundation
import ReunionCore

extension Holdings {
  /// What a browser's disk holds, as it says itself.
  init(_ disk: BrowserDisk) throws {
    var vector = VersionVector()
    for entry in disk.vector {
      guard entry.count == 2, let site = Site(entry[0]), let seq = UInt64(entry[1]) else {
        throw BrowserFault(description: "A vector is out of form: \(entry)")
      }
      vector.raise(site, to: seq)
    }
    guard let bytes = Data(base64Encoded: disk.records) else {
      throw BrowserFault(description: "The records are not base64.")
    }
    self.init(vector: vector, states: try Self.states([UInt8](bytes)))
  }

  init(vector: VersionVector, states: [RecordPlace: RecordState]) {
    self.vector = vector
    self.states = states
  }

  /// The changes that it holds.
  var changes: [Change] {
    states.flatMap { place, state in
      state.cells.map { Change(entity: place.entity, record: place.id, cell: $0) }
    }
  }

  /// Reads the flat form of `Bridge.swift`.
  private static func states(_ bytes: [UInt8]) throws -> [RecordPlace: RecordState] {
    var reader = ByteReader(bytes)
    var states: [RecordPlace: RecordState] = [:]
    for _ in 0..<(try reader.integer(UInt32.self)) {
      let place = RecordPlace(
        entity: try reader.integer(UInt32.self), id: try reader.identifier(RecordID.self))
      let isAlive = try reader.byte() == 1
      var cells: [Cell] = []
      for _ in 0..<(try reader.integer(UInt32.self)) { cells.append(try cell(&reader)) }
      let state = RecordState(cells)
      guard state.isAlive == isAlive else {
        throw Violation(8, "a browser keeps \(place) as \(isAlive ? "alive" : "deleted")")
      }
      // A record of which everything was taken back leaves an empty row.
      if !cells.isEmpty { states[place] = state }
    }
    try reader.finish()
    return states
  }

  private static func cell(_ reader: inout ByteReader) throws -> Cell {
    let field = try reader.integer(UInt32.self)
    let merge = MergeKind(rawValue: try reader.byte())
    let kind = ValueKind(rawValue: try reader.byte())
    let dot = Dot(
      site: try reader.identifier(Site.self), seq: try reader.integer(UInt64.self))
    let stamp = Stamp(rawValue: try reader.integer(UInt64.self))
    let replaced = Stamp(rawValue: try reader.integer(UInt64.self))
    let bytes = try reader.bytes(Int(try reader.integer(UInt32.self)))
    return Cell(
      field: field, merge: merge, dot: dot, stamp: stamp, replaced: replaced,
      value: Value(kind: kind, bytes: bytes))
  }
}
