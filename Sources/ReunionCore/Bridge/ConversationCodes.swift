/// What a page tells a conversation, by its number; `Web/conversation/codes.js` is made of this table.
enum ConversationEvent: UInt8 {
  /// space, site, leaf u8, seq u64
  case opened = 1
  /// the bytes of a message
  case received = 2
  /// position, vector
  case lookedUp = 3
  /// rolled back u8, cursor u64, own seq u64 (all ones: none), seq u64
  case resumed = 4
  case committed = 5
  /// records, cursor u64, ended u8: then position and the vector's raised entries
  case windowRead = 6
  /// cursor u64
  case applied = 7
  case foundForked = 8
  /// Asked to or not.
  case renewed = 9
  /// sentence
  case storeFailed = 10
  /// Every five seconds.
  case beat = 11
  /// Somebody looks: ask at once whether the other side is there.
  case probed = 12
  /// code u16, sentence
  case stop = 13
  /// the bytes of a part of a block, inflated: answered by `stage`, whatever the conversation is at
  case part = 14
}

/// What a conversation has a page do, by its number; `Web/conversation/codes.js` is made of this table.
enum ConversationEffect: UInt8 {
  /// bytes
  case send = 1
  /// the peer's site
  case lookUp = 2
  /// position
  case resume = 3
  /// after u64, vector after u64, own seq u64, the vector of what is held
  case readWindow = 4
  /// latest stamp u64, records; refusals: count u32, entity u32, record, vector, sentence
  case stage = 5
  /// cursor u64, position, the vector's raised entries
  case apply = 6
  /// the vector's raised entries
  case acknowledged = 7
  /// own seq u64
  case renew = 8
  /// count u32, hashes
  case have = 9
  /// code u16 (0: the link just closed), said by the other side u8, sentence
  case close = 10
  /// milliseconds u64
  case later = 11
  /// The next push is all that there is: what is held is older than what is gone at the other side.
  case takeAnew = 12
}
