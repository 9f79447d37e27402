// Made of Sources/ReunionCore/Bridge/ConversationCodes.swift by TidyTests, with REUNION_WRITE_NAMES: change it there.

/** What is told to a conversation, by its number. */
export const events = {
  opened: 1,
  received: 2,
  lookedUp: 3,
  resumed: 4,
  committed: 5,
  windowRead: 6,
  applied: 7,
  foundForked: 8,
  renewed: 9,
  storeFailed: 10,
  beat: 11,
  probed: 12,
  stop: 13,
  part: 14,
};

/** What a conversation has done, by its number. */
export const effects = {
  send: 1,
  lookUp: 2,
  resume: 3,
  readWindow: 4,
  stage: 5,
  apply: 6,
  acknowledged: 7,
  renew: 8,
  have: 9,
  close: 10,
  later: 11,
  takeAnew: 12,
};
