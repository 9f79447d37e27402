#if canImport(Glibc)
  private import Glibc
#else
  private import Darwin
#endif

/// The number of this process.
enum ProcessNumber {
  static var own: Int32 { getpid() }
}
