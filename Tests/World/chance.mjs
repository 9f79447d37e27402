// Numbers that look random and are the same on every run with the same seed.

/** A source of numbers (Steele, Lea, Flood, "SplitMix", 2014, in its form with 32 bits). */
export class Chance {
  #state;
  constructor(seed) { this.#state = seed >>> 0; }

  /** A whole number of 32 bits. */
  bits() {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  /** A number from 0 up to 1, without it. */
  unit() { return this.bits() / 2 ** 32; }

  /** A whole number below `count`. */
  below(count) { return Math.floor(this.unit() * count); }

  /** One of a list. */
  one(list) { return list[this.below(list.length)]; }

  /** Whether it happens, with a likelihood of `share`. */
  happens(share) { return this.unit() < share; }

  /** Fills an array of bytes, of any realm. */
  fill(bytes) {
    for (let at = 0; at < bytes.length; at++) bytes[at] = this.bits() & 255;
    return bytes;
  }

  /** Another source, which this one begins. */
  fork() { return new Chance(this.bits()); }

  /** Bytes as hexadecimal digits. */
  hex(count) { return Buffer.from(this.fill(new Uint8Array(count))).toString('hex'); }
}
