import Foundation
import ReunionChangelog
import Testing

@testable import ReunionChangelogPostgres

@Suite struct AddressTests {
  @Test func `a URL gives its parts, and its name has no password`() throws {
    let address = try PostgresAddress(
      url: "postgresql://ann:s3cret@db.example:5433/app?sslmode=require")
    #expect(address.name == "postgresql://ann@db.example:5433/app")
    #expect(address.settings["password"] == "s3cret")
    #expect(address.settings["sslmode"] == "require")
    #expect(try PostgresAddress(url: "postgres://h/app").name == "postgresql://h/app")
    #expect(
      try PostgresAddress(url: "postgresql:///app?user=ann&password=s3cret&host=/run").name
        == "postgresql://ann@/run/app")
    let java = try PostgresAddress(
      url: "postgresql://h/app?currentSchema=a%20%22b&ssl=true&user=ann&ApplicationName=x")
    #expect(java.settings["options"] == #"-c search_path="a\ ""b""#)
    #expect(java.settings["user"] == "ann")
  }

  @Test func `what cannot be read is told without the password`() {
    for url in [
      "postgresql://ann:s3cr%etzz@h/app", "postgresql://ann:s3cret@h:5432/app?wrong=s3cret",
      "postgresql://ann:p@s3cret@h/app", "mysql://ann:s3cret@h/app", "postgresql://[s3cret/app",
      "postgresql://ann:s3cret@h/app?password", "s3cret", "",
    ] {
      let error = failure { _ = try PostgresAddress(url: url) }
      #expect(error?.message.contains("PGPASSWORD") == true, "\(url)")
      #expect(error?.message.contains("s3cret") == false, "\(url)")
    }
  }

  @Test func `URLs that were bent neither trap nor tell the password`() {
    var random = SystemRandomNumberGenerator()
    let url = Array(
      "postgresql://ann:s3cret@h.example:5433/app?sslmode=require&options=-c%20a".utf8)
    for _ in 0..<2_000 {
      var bent = url
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let at = Int.random(in: 0..<bent.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bent.remove(at: at)
        case 1: bent.insert(Array("@:/?&=%[] \u{e9}".utf8).randomElement() ?? 0, at: at)
        default: bent[at] = UInt8.random(in: 1...255, using: &random)
        }
      }
      let text = String(decoding: bent, as: UTF8.self)
      do throws(DatabaseError) {
        let address = try PostgresAddress(url: text)
        guard let password = address.settings["password"], password.count > 3 else { continue }
        #expect(!address.name.contains(password), "\(text)")
      } catch {
        #expect(!error.message.contains("s3cret"), "\(text)")
      }
    }
  }

  @Test func `nobody at the address is an error of one line within its time`() {
    let error = failure {
      _ = try PostgresDatabase(url: "postgresql://ann:s3cret@127.0.0.1:9/app")
    }
    #expect(error?.isDisconnected == true)
    #expect(error?.message.contains("s3cret") == false)
    #expect(error?.message.contains("\n") == false)
  }

  @Test(.enabled(if: Cluster.hasFifteen, "PostgreSQL 15 is not installed"))
  func `a password comes from a file, and a wrong one is not repeated`() throws {
    let url = try Cluster.fifteen.get().url
    #expect(url.contains("passfile="))
    try PostgresDatabase(url: url).close()
    let wrong = url.replacing("reunion@", with: "reunion:wr0ng@")
    let error = failure { _ = try PostgresDatabase(url: wrong) }
    #expect(error?.message.contains("authentication failed") == true)
    #expect(error?.message.contains("wr0ng") == false)
  }
}
