// What the module of an app exports: `Bridge.call` of its core, called as the library's own core is.
// `Web/core/build.sh` compiles it with the app's sources.

/// What the page calls, as it calls the library's core: `Web/core/core.js` tells how.
@_expose(wasm, "core_reserve") @_cdecl("core_reserve")
public func coreReserve(_ byteCount: Int) -> UnsafeMutableRawPointer {
  UnsafeMutableRawPointer.allocate(byteCount: max(byteCount, 1), alignment: 8)
}

/// Frees what was reserved or given.
@_expose(wasm, "core_release") @_cdecl("core_release")
public func coreRelease(_ pointer: UnsafeMutableRawPointer) { pointer.deallocate() }

/// Calls a function of `Bridge` by its number.
@_expose(wasm, "core_call") @_cdecl("core_call")
public func coreCall(
  _ number: UInt32, _ input: UnsafePointer<UInt8>, _ byteCount: Int
) -> UnsafeMutableRawPointer {
  let bytes = Array(UnsafeBufferPointer(start: input, count: byteCount))
  guard let function = Bridge.Function(rawValue: UInt8(truncatingIfNeeded: number)) else {
    return result([], flag: 1 << 31)
  }
  do {
    return result(try Bridge.call(function, bytes))
  } catch {
    return result(Array(error.utf8), flag: 1 << 31)
  }
}

private func result(_ bytes: [UInt8], flag: UInt32 = 0) -> UnsafeMutableRawPointer {
  let memory = coreReserve(bytes.count + 4)
  memory.storeBytes(of: UInt32(bytes.count) | flag, as: UInt32.self)
  bytes.withUnsafeBytes { bytes in
    guard let start = bytes.baseAddress else { return }
    (memory + 4).copyMemory(from: start, byteCount: bytes.count)
  }
  return memory
}
