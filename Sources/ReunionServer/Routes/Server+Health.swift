import Foundation
import ReunionCore
import ReunionStore

/// What a server tells of itself.
extension Server {
  /// Whether the server is well; what it holds is told to the host alone.
  func health(of device: Access.Device?) -> HTTPAnswer {
    .later { [self] responder in
      DispatchQueue.global().async { [self] in
        var fields: [String: JSONValue] = ["version": .text(configuration.version)]
        do {
          let counts = try store.counts()
          let gaps = try health.gaps(of: store)
          fields["status"] = .text(gaps.away.isEmpty ? "ok" : "missing")
          if !gaps.away.isEmpty {
            fields["error"] = .text(
              "Files that this server keeps are not there. Tell the host, whose terminal says more."
            )
          }
          if device?.role == .admin {
            fields["records"] = .number(Int64(counts.records))
            fields["blobs"] = .number(Int64(counts.blobs))
            fields["awaited"] = .number(Int64(gaps.awaited.count))
            if let sentence = gaps.notice(in: store.folder) {
              fields["missing"] = .number(Int64(gaps.away.count))
              fields["error"] = .text(sentence)
            }
            fields["replicas"] = .number(Int64(replicaCount))
            if let walls = configuration.sandbox {
              fields["sandbox"] = .object(walls.mapValues { .bool($0) })
            }
          }
          responder.respond(.json(gaps.away.isEmpty ? 200 : 503, fields))
        } catch {
          configuration.log?.note(.damaged, ["what": "store"])
          configuration.notice("The store cannot be read: \(error)")
          fields["status"] = .text("failing")
          fields["error"] = .text(
            "The server cannot read its store. Tell the host, whose log says why.")
          responder.respond(.json(503, fields))
        }
      }
    }
  }

  func modelFields() -> [String: JSONValue] {
    let entities = store.model.entities.map { entity in
      var description: [String: JSONValue] = [
        "number": .number(Int64(entity.number)), "name": .text(entity.name),
        "fields": .list(
          entity.fields.map { field in
            var fields: [String: JSONValue] = [
              "number": .number(Int64(field.number)), "name": .text(field.name),
              "kind": .number(Int64(field.kind.rawValue)),
            ]
            fields["bytesMax"] = field.bytesMax.map { .number(Int64($0)) }
            fields["initial"] = JSONValue(field.initial)
            fields["element"] = field.element.map { .number(Int64($0.rawValue)) }
            fields["target"] = field.rule.map { .number(Int64($0.target)) }
            fields["onDelete"] = field.rule.map { .text($0.onDelete.rawValue) }
            return .object(fields)
          }),
      ]
      if !entity.lenses.isEmpty { description["lenses"] = .list(entity.lenses.map(JSONValue.init)) }
      return JSONValue.object(description)
    }
    var fields: [String: JSONValue] = [
      "entities": .list(entities), "version": .number(Int64(store.model.version)),
    ]
    let reader = store.model.minimumReader
    if reader > 1 { fields["minimumReader"] = .number(Int64(reader)) }
    return fields
  }
}

extension JSONValue {
  /// What a field begins with; nil where that is nothing.
  init?(_ value: Value) {
    if let bool = value.bool {
      self = .bool(bool)
    } else if value.kind == .int, let int = value.int {
      self = .number(int)
    } else if let double = value.double, double.isFinite {
      self = .double(double)
    } else if let text = value.text {
      self = .text(text)
    } else {
      return nil
    }
  }
}
