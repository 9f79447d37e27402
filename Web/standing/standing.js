// Where what this browser wrote is by now: docs/protocol.md 2.23.

import { FlatReader, FlatWriter } from '../core/flat.js';
import { readVarint } from '../core/varint.js';
import { State } from '../replica/state.js';

const messageType = 17;
const speaker = '0'.repeat(16);

export class Standing {
  /**
   * `{isKnown, acknowledged, arrival, server, devices}`: whether the server says it just now; the last change of this
   * browser that it has on its disk; at which of its arrivals that stands; and how far the server and each device have
   * come: `{device, changes, blobs, missing}`, up to which arrival each has all, and all blobs but for those missing.
   */
  state = new State({ isKnown: false, acknowledged: 0, arrival: 0, server: null, devices: [] });
  #connection; #replica; #site = '';

  /** Asks over a connection for what a replica writes; one for each. */
  constructor(connection, replica) {
    [this.#connection, this.#replica] = [connection, replica];
    connection.standing = this;
    if (connection.isMet) this.began();
  }

  /**
   * Where all that the replica has written is by now, and the blobs of these hashes: `{isOnServer, deviceCount}`.
   * What was known stays known while the server is away.
   */
  reach(hashes = []) {
    const { acknowledged, arrival, server, devices } = this.state.value;
    // A replica that went back counts anew, under another site.
    const isSent = acknowledged >= this.#replica.seq && this.#site === this.#replica.site;
    const wanted = new Set(hashes);
    const has = ({ changes, blobs, missing }, upTo) => changes >= upTo && blobs >= upTo
      && !missing.some((hash) => wanted.has(hash));
    return {
      isOnServer: isSent && Boolean(server) && has(server, server.changes),
      deviceCount: isSent ? devices.filter((device) => has(device, arrival)).length : 0,
    };
  }

  /** What is sent from now on is heard: whoever says anything of itself is told what stands where. */
  began() { this.#connection.show(new FlatWriter().u8(1).u8(messageType).u8(0).u8(0).u8(0).finish()); }

  /** The link is closed. */
  ended() { this.state.set({ isKnown: false }); }

  /** Takes a message of the server. */
  heard(bytes) {
    const reader = new FlatReader(bytes, 2);
    const [acknowledged, arrival] = [readVarint(reader), readVarint(reader)];
    const replicas = [];
    for (let left = readVarint(reader); left > 0; left--) {
      const [device, changes, blobs] = [reader.id(8), readVarint(reader), readVarint(reader)];
      const missing = [];
      for (let count = readVarint(reader); count > 0; count--) missing.push(reader.id(32));
      readVarint(reader);
      replicas.push({ device, changes, blobs, missing });
    }
    this.#site = this.#replica.site;
    this.state.set({
      isKnown: true, acknowledged, arrival,
      server: replicas.find(({ device }) => device === speaker) ?? null,
      devices: replicas.filter(({ device }) => device !== speaker),
    });
  }
}
