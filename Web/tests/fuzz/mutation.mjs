// Inputs out of valid ones, each a function of its seed alone.

/** Random numbers below 2^32 that a seed repeats. Source: mulberry32. */
export function seeded(seed) {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let z = Math.imul(state ^ (state >>> 15), state | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return (z ^ (z >>> 14)) >>> 0;
  };
  return {
    next,
    below: (count) => next() % Math.max(1, count),
    happens: (chance) => next() / 2 ** 32 < chance,
    of: (list) => list[next() % list.length],
  };
}

const absurd = [0, 1, 127, 128, 255, 256, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff];

/** Bytes with some of them changed, cut, doubled, or put together with another sample's. */
export function mutatedBytes(samples, random, bytesMax = 16_384) {
  let bytes = [...random.of(samples)];
  for (let left = 1 + random.below(6); left > 0; left--) {
    const at = random.below(bytes.length + 1);
    const count = Math.min(bytes.length - at, 1 << random.below(7));
    switch (random.below(8)) {
      case 0: bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8)); break;
      case 1: bytes[at] = random.below(256); break;
      case 2: bytes.splice(at, count); break;
      case 3: bytes.splice(at, 0, ...bytes.slice(at, at + count)); break;
      case 4: bytes = [...bytes.slice(0, at), ...[...random.of(samples)].slice(random.below(20))]; break;
      case 5: bytes.length = at; break;
      case 6: {
        const number = random.of(absurd);
        bytes.splice(at, 4, number >>> 24, (number >>> 16) & 255, (number >>> 8) & 255, number & 255);
        break;
      }
      default: bytes.splice(at, 1, 0xff, 0xff, 0xff, 0xff, 0x0f);
    }
  }
  return Uint8Array.from(bytes.slice(0, bytesMax));
}

const leaves = [
  null, undefined, true, -1, 0, 2 ** 53, NaN, Infinity, 2n ** 64n, '', '__proto__', 'constructor',
  'x'.repeat(10_000), '\ud800', [], {}, [[[[]]]], () => 1, new Uint8Array(3), new Map(), Symbol.iterator,
  { toString() { throw new Error('toString'); } }, { length: 2 ** 40 }, new Date(NaN),
];

/** A value with some of its parts replaced, removed, repeated or moved. */
export function mutatedValue(value, random, depth = 0) {
  if (random.happens(depth ? 0.08 : 0.02)) return random.of(leaves);
  if (Array.isArray(value)) {
    const list = value.map((each) => mutatedValue(each, random, depth + 1));
    if (random.happens(0.1)) list.splice(random.below(list.length + 1), 1);
    if (list.length && random.happens(0.1)) list.push(random.of(list));
    return list;
  }
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return value;
  const object = {};
  for (const [name, each] of Object.entries(value)) {
    if (random.happens(0.05)) continue;
    const called = random.happens(0.03) ? random.of(['__proto__', 'constructor', '', 'id', 'then']) : name;
    Object.defineProperty(object, called, {
      value: mutatedValue(each, random, depth + 1), enumerable: true, writable: true, configurable: true,
    });
  }
  return object;
}
