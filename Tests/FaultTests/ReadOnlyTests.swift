import ReunionCore
import ReunionStore
import ReunionTesting
import TestThreads
import Testing

/// A damaged store is opened to be read alone, and stays as it is.
@Suite(.onOwnThread) struct ReadOnlyTests {
  private func options(_ disk: SimulatedDisk) -> StoreOptions {
    var options = Story.options(disk, seed: 4)
    options.isReadOnly = true
    return options
  }

  @Test func `what is on whole pages of a damaged store can be read`() throws {
    let story = Story(seed: 2)
    for _ in 0..<60 { try story.step() }
    try story.close()
    let path = Story.folder + "/store.sqlite"
    guard case .file(let byteCount)? = try story.disk.status(of: path) else { return }
    var (read, refused, seen) = (0, 0, 0)
    for page in 1..<byteCount / 4096 {
      let disk = story.disk.copy()
      disk.flipBit(page * 4096 * 8 + 9000, of: path)
      let before = disk.byteCount
      do {
        let store = try Store.open(folder: Story.folder, model: model, options: options(disk))
        for (id, doc) in story.acknowledged.docs {
          do {
            #expect(try store.fetch(Doc.self, id, in: space) == doc)
            read += 1
          } catch let error as StoreError {
            #expect(error.code == .damaged)
            refused += 1
          }
        }
        seen += 1
        #expect(throws: StoreError.self) {
          try store.write(in: space) { try $0.create(Doc(id: $0.newID())) }
        }
        try store.close()
      } catch let error as StoreError {
        #expect(error.code == .damaged, "\(error)")
      }
      #expect(disk.byteCount == before)
    }
    print(
      "faults: \(seen) damaged stores opened to be read: \(read) records read, \(refused) refused")
    #expect(read > refused && refused > 0)
  }

  @Test func `a whole store is read as it is, and writes are refused by name`() throws {
    let story = Story(seed: 2)
    for _ in 0..<20 { try story.step() }
    if story.store == nil { try story.open() }
    // As a crash leaves it, with its log.
    let disk = story.disk.copy()
    let store = try Store.open(folder: Story.folder, model: model, options: options(disk))
    #expect(try Contents(of: store, blobs: story.blobs.keys) == story.acknowledged)
    do {
      try store.write(in: space) { try $0.create(Doc(id: $0.newID())) }
      Issue.record("it was written to")
    } catch let error as StoreError {
      #expect(error.code == .notWritable)
    }
    try store.close()
    #expect(disk.paths == story.disk.paths)
    #expect(disk.byteCount == story.disk.byteCount)
  }
}
