import CWebSockets

/// The two protocols that libwebsockets calls back for: accepted streams and WebSocket clients.
enum SocketProtocols {
  // Names and table live as long as the process, because contexts keep pointers to them.
  nonisolated(unsafe) static let stream = immortal("stream")
  nonisolated(unsafe) static let client = immortal("client")

  nonisolated(unsafe) static let table: UnsafePointer<lws_protocols> = {
    let table = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 3)
    table.initialize(repeating: lws_protocols(), count: 3)
    table[0].name = stream
    table[0].callback = onStream
    table[1].name = client
    table[1].callback = onClient
    return UnsafePointer(table)
  }()

  private static func immortal(_ name: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}

private func owner(_ wsi: OpaquePointer?) -> Socket? { EventLoop.socket(of: wsi) }

private func onStream(
  _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
  _ bytes: UnsafeMutableRawPointer?, _ count: Int
) -> Int32 {
  switch reason {
  case LWS_CALLBACK_RAW_ADOPT:
    return owner(wsi)?.dispatch(.opened, from: wsi) ?? -1
  case LWS_CALLBACK_RAW_RX:
    let piece = UnsafeRawBufferPointer(start: bytes, count: count)
    return owner(wsi)?.dispatch(.received(piece, .stream), from: wsi) ?? -1
  case LWS_CALLBACK_RAW_WRITEABLE:
    return owner(wsi)?.dispatch(.writable, from: wsi) ?? -1
  case LWS_CALLBACK_RAW_CLOSE:
    owner(wsi)?.didClose(nil)
    return 0
  // The first protocol hears it of all sockets.
  case LWS_CALLBACK_WSI_DESTROY:
    owner(wsi)?.didEnd()
    return 0
  default:
    return 0
  }
}

private func onClient(
  _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
  _ bytes: UnsafeMutableRawPointer?, _ count: Int
) -> Int32 {
  switch reason {
  case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
    return owner(wsi).map { append($0.requestHeaders, wsi, bytes, count) } ?? 0
  case LWS_CALLBACK_CLIENT_ESTABLISHED:
    return owner(wsi)?.dispatch(.opened, from: wsi) ?? -1
  case LWS_CALLBACK_CLIENT_RECEIVE:
    let piece = SocketPiece(
      isFirst: lws_is_first_fragment(wsi) != 0,
      isLast: lws_is_final_fragment(wsi) != 0 && lws_remaining_packet_payload(wsi) == 0,
      isBinary: lws_frame_is_binary(wsi) != 0)
    let received = SocketEvent.received(UnsafeRawBufferPointer(start: bytes, count: count), piece)
    return owner(wsi)?.dispatch(received, from: wsi) ?? -1
  case LWS_CALLBACK_CLIENT_WRITEABLE:
    return owner(wsi)?.dispatch(.writable, from: wsi) ?? -1
  case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
    let status = wsi.map { Int(lws_http_client_http_response($0)) } ?? 0
    let said = bytes.map { UnsafeRawBufferPointer(start: $0, count: count) }
    owner(wsi)?.didClose(SocketRefusal(status: status, reason: said.map(sentence) ?? ""))
    return 0
  case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
    let said = UnsafeRawBufferPointer(start: bytes, count: count)
    let code = count < 2 ? 1005 : UInt16(said[0]) << 8 | UInt16(said[1])
    _ = owner(wsi)?.dispatch(.closing(code), from: wsi)
    return 0
  case LWS_CALLBACK_CLIENT_CLOSED:
    owner(wsi)?.didClose(nil)
    return 0
  // The server went away before it answered.
  case LWS_CALLBACK_CLOSED_CLIENT_HTTP:
    owner(wsi)?.didEnd()
    return 0
  default:
    return 0
  }
}

/// Writes header fields at the place in libwebsockets' request that `place` points to.
private func append(
  _ headers: [(name: String, value: String)], _ wsi: OpaquePointer?,
  _ place: UnsafeMutableRawPointer?, _ room: Int
) -> Int32 {
  guard let place = place?.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self),
    let end = place.pointee.map({ $0 + room })
  else { return 0 }
  for header in headers {
    let status = lws_add_http_header_by_name(
      wsi, header.name + ":", header.value, Int32(header.value.utf8.count), place, end)
    if status != 0 { return -1 }
  }
  return 0
}

/// What libwebsockets says, without the bytes that may follow its end.
private func sentence(_ said: UnsafeRawBufferPointer) -> String {
  String(decoding: said.prefix { $0 >= 0x20 && $0 < 0x7f }, as: UTF8.self)
}
