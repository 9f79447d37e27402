// The Wasm core as a library: functions from bytes to bytes, and a streaming SHA-256.
// Of a page it holds the state of its conversations alone.

/** The numbers of the core's functions (Bridge.Function in Swift) that a page calls. */
export const functions = {
  merge: 3, nextStamp: 4, observeStamp: 5, mergeVectors: 6, plan: 8, deletion: 9, between: 10,
};

/** Starts the core from the module's bytes, or from a Response that streams them. */
export async function startCore(source) {
  let memory;
  const imports = {
    page: {
      random: (to, count) => {
        for (let done = 0; done < count; done += 65536) {
          const part = Math.min(65536, count - done);
          crypto.getRandomValues(new Uint8Array(memory.buffer, to + done, part));
        }
      },
    },
  };
  const { instance } = source instanceof Uint8Array
    ? await WebAssembly.instantiate(source, imports)
    : await WebAssembly.instantiateStreaming(source, imports);
  const core = instance.exports;
  memory = core.memory;

  const put = (bytes) => {
    const at = core.core_reserve(bytes.length);
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    return at;
  };
  const take = (at) => {
    const length = new DataView(memory.buffer, at, 4).getUint32(0, true);
    const count = length & 0x7fffffff;
    const bytes = new Uint8Array(memory.buffer, at + 4, count).slice();
    core.core_release(at);
    if (length >>> 31) throw new Error(new TextDecoder().decode(bytes));
    return bytes;
  };

  const call = (exported, first, bytes) => {
    const at = put(bytes);
    try {
      return take(exported(first, at, bytes.length));
    } finally {
      core.core_release(at);
    }
  };

  return {
    /** Calls a function of the core; throws an Error with its sentence. */
    call: (number, bytes) => call(core.core_call, number, bytes),
    /** A conversation: `perform(bytes)` of an event gives those of its effects; `end()` frees it. */
    converse() {
      const handle = core.conversation_start();
      return {
        perform: (bytes) => call(core.conversation_perform, handle, bytes),
        end: () => core.conversation_end(handle),
      };
    },
    /** A SHA-256 over bytes that come in pieces. */
    hasher() {
      const stream = core.hash_start();
      return {
        update(bytes) {
          const at = put(bytes);
          core.hash_update(stream, at, bytes.length);
          core.core_release(at);
        },
        finish: () => take(core.hash_finish(stream)),
      };
    },
  };
}
