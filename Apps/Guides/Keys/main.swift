import ReunionCore
import ReunionKeys

for key in [Keys.weather, Keys.signing] {
  let digest = key.withBytes { bytes in
    var hash = SHA256()
    hash.update(bytes.bindMemory(to: UInt8.self))
    return hash.finish()
  }
  print("\(key.count) bytes, whose SHA-256 begins with \(digest.prefix(4))")
}
