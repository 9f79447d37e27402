import Foundation
import ReunionCore
import Reunion
import Testing

@testable import ReunionServer

/// Blobs that a member may have as a file to save, and in no other way.
@Suite struct SavedBlobTests {
  @Test func `a blob to save is one for everybody who may have it, and no browser shows it`()
    async throws
  {
    try await onThread {
      let picture: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]
      let saved = BlobHash(of: picture)
      let house = try RouteHouse { configuration, _ in
        configuration.mayRead = { $0 != saved }
        configuration.mayOnlySave = { hash, device in hash == saved && device.role != .view }
      }
      _ = try house.store.blobs.add(picture)
      let other = try house.store.blobs.add(picture + [4])
      for (path, name) in [("", "file"), ("?name=a.html", "a.html")] {
        for role in [Role.add, .admin] {
          let answer = try house.ask(.get, "/blobs/\(saved)\(path)", house.tokens[role])
          #expect(answer.status == 200 && answer.body == picture)
          #expect(answer["Content-Type"] == "application/octet-stream")
          #expect(
            answer["Content-Disposition"]?.hasPrefix("attachment; filename=\"\(name)\"") == true)
          #expect(answer["X-Content-Type-Options"] == "nosniff")
          #expect(answer["Content-Security-Policy"]?.contains("sandbox") == true)
        }
        #expect(
          try house.ask(.get, "/blobs/\(saved)\(path)", house.tokens[.view]).status == 403)
      }
      // Any other one is shown as what its bytes are.
      let answer = try house.ask(.get, "/blobs/\(other.hash)", house.tokens[.view])
      #expect(answer["Content-Type"] == "image/png" && answer["Content-Disposition"] == nil)
    }
  }
}
