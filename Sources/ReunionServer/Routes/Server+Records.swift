import Foundation
import ReunionCore
import ReunionStore

/// Records, where the host deletes them for good.
extension Server {
  /// `DELETE /records/ENTITY/ID`: deletes a record for good, with the bytes that it alone names.
  func erase(
    _ id: String, of name: String, in space: ServedSpace, _ request: HTTPRequest
  ) throws -> HTTPResponse {
    guard let entity = store.model.entities.first(where: { $0.name == name }),
      let record = RecordID(id),
      try store.erase(entity: entity.number, record, in: space.id, keeps: space.access.hasSent)
    else {
      return .error(404, "There is no such record: it may have been deleted for good before.")
    }
    note(.erased, ["record": record.description], request)
    return HTTPResponse(204)
  }
}
