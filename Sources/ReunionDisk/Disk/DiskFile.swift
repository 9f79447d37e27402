/// An open file of a disk, closed when it is released.
///
/// Offsets and sizes are in bytes. *Thread*: any; calls that overlap in the file are the caller's
/// to order. *Errors*: as of `Disk`. Nothing that is written must survive a power cut before `sync`
/// returns.
public protocol DiskFile: AnyObject, Sendable {
  /// Where it was opened; it may have been renamed since.
  var path: String { get }

  /// The size in bytes, with what was written and not synced.
  func byteCount() throws(StoreError) -> UInt64

  /// Fills a buffer with bytes from an offset on, and returns how many: fewer only at the end.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(StoreError) -> Int

  /// Writes bytes at an offset, and makes the file longer where they reach beyond its end.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError)

  /// Cuts the file off, or makes it longer with zeros.
  func truncate(to byteCount: UInt64) throws(StoreError)

  /// Returns when every byte is on the disk. After an error they may never get there: write the
  /// file anew.
  func sync() throws(StoreError)

  /// Takes the lock that one open file at a time has, or returns false where another has it, in
  /// this process or any other. It ends with the file, also when the process dies: a store's folder
  /// is kept to one program by it.
  func tryLock() throws(StoreError) -> Bool

  /// Gives the lock back.
  func unlock() throws(StoreError)
}

extension DiskFile {
  /// Reads up to `count` bytes from an offset; fewer only at the end of the file.
  package func read(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8] {
    var failure: StoreError?
    let bytes = [UInt8](unsafeUninitializedCapacity: max(count, 0)) { buffer, filled in
      do throws(StoreError) {
        filled = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Writes bytes at an offset.
  package func write(_ bytes: [UInt8], at offset: UInt64) throws(StoreError) {
    var failure: StoreError?
    bytes.withUnsafeBytes { buffer in
      do throws(StoreError) { try write(buffer, at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
