#if arch(wasm32)
  /// What the page calls: a function with bytes in linear memory, and a streaming hash; in a module of
  /// its own (`CONVERSATION`), which is loaded later, conversations.
  ///
  /// The page reserves memory with `core_reserve`, writes its input there, and frees what it
  /// reserved and what it was given with `core_release`. A result is its length, u32 little-endian,
  /// then its bytes; an error has the top bit of the length set and its sentence as bytes.
  @_expose(wasm, "core_reserve") @_cdecl("core_reserve")
  package func coreReserve(_ byteCount: Int) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer.allocate(byteCount: max(byteCount, 1), alignment: 8)
  }

  /// Frees what was reserved or given.
  @_expose(wasm, "core_release") @_cdecl("core_release")
  package func coreRelease(_ pointer: UnsafeMutableRawPointer) { pointer.deallocate() }

  #if CONVERSATION
    /// Starts a conversation.
    @_expose(wasm, "conversation_start") @_cdecl("conversation_start")
    package func conversationStart() -> UnsafeMutableRawPointer {
      let conversation = UnsafeMutablePointer<FlatConversation>.allocate(capacity: 1)
      conversation.initialize(to: FlatConversation())
      return UnsafeMutableRawPointer(conversation)
    }

    /// Leads it on: the bytes of an event in, those of its effects as a result.
    @_expose(wasm, "conversation_perform") @_cdecl("conversation_perform")
    package func conversationPerform(
      _ handle: UnsafeMutableRawPointer, _ bytes: UnsafePointer<UInt8>, _ byteCount: Int
    ) -> UnsafeMutableRawPointer {
      let conversation = handle.assumingMemoryBound(to: FlatConversation.self)
      do throws(WireError) {
        let event = Array(UnsafeBufferPointer(start: bytes, count: byteCount))
        return result(try conversation.pointee.perform(event))
      } catch {
        return result(of: error)
      }
    }

    /// Frees it.
    @_expose(wasm, "conversation_end") @_cdecl("conversation_end")
    package func conversationEnd(_ handle: UnsafeMutableRawPointer) {
      let conversation = handle.assumingMemoryBound(to: FlatConversation.self)
      conversation.deinitialize(count: 1)
      conversation.deallocate()
    }
  #else
    /// Calls a function of `Bridge` by its number.
    @_expose(wasm, "core_call") @_cdecl("core_call")
    package func coreCall(
      _ number: UInt32, _ input: UnsafePointer<UInt8>, _ byteCount: Int
    ) -> UnsafeMutableRawPointer {
      guard let function = Bridge.Function(rawValue: UInt8(truncatingIfNeeded: number)) else {
        return result(of: WireError(.malformed, "There is no such function."))
      }
      do throws(WireError) {
        let bytes = Array(UnsafeBufferPointer(start: input, count: byteCount))
        return result(try Bridge.call(function, bytes))
      } catch {
        return result(of: error)
      }
    }

    /// Starts a streaming hash.
    @_expose(wasm, "hash_start") @_cdecl("hash_start")
    package func hashStart() -> UnsafeMutableRawPointer {
      let hash = UnsafeMutablePointer<SHA256>.allocate(capacity: 1)
      hash.initialize(to: SHA256())
      return UnsafeMutableRawPointer(hash)
    }

    /// Takes more bytes.
    @_expose(wasm, "hash_update") @_cdecl("hash_update")
    package func hashUpdate(
      _ hash: UnsafeMutableRawPointer, _ bytes: UnsafePointer<UInt8>, _ byteCount: Int
    ) {
      let stream = hash.assumingMemoryBound(to: SHA256.self)
      stream.pointee.update(UnsafeBufferPointer(start: bytes, count: byteCount))
    }

    /// Gives the hash as a result, and frees the stream.
    @_expose(wasm, "hash_finish") @_cdecl("hash_finish")
    package func hashFinish(_ hash: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
      let stream = hash.assumingMemoryBound(to: SHA256.self)
      let bytes = stream.pointee.finish()
      stream.deinitialize(count: 1)
      stream.deallocate()
      return result(bytes)
    }
  #endif

  private func result(_ bytes: [UInt8], flag: UInt32 = 0) -> UnsafeMutableRawPointer {
    let memory = coreReserve(bytes.count + 4)
    memory.storeBytes(of: UInt32(bytes.count) | flag, as: UInt32.self)
    bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      (memory + 4).copyMemory(from: start, byteCount: bytes.count)
    }
    return memory
  }

  private func result(of error: WireError) -> UnsafeMutableRawPointer {
    let sentence = UnsafeBufferPointer(
      start: error.reason.utf8Start, count: error.reason.utf8CodeUnitCount)
    return result(Array(sentence), flag: 1 << 31)
  }
#endif
