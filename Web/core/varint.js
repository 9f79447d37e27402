// Numbers of as many bytes as they need, as messages have them: docs/protocol.md 1.2.

/** Reads one with a `FlatReader`; exact up to 2^53. */
export function readVarint(reader) {
  let [value, scale] = [0, 1];
  for (let byte = 128; byte & 128; scale *= 128) {
    byte = reader.u8();
    value += (byte & 127) * scale;
  }
  return value;
}
