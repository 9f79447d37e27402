// On how many devices this phone's photos are, beside the server.

import { Standing } from '/reunion/standing/standing.js';
import { recordsOf } from './stacks.js';

/** Has the store know it from now on. */
export function countCopies(store) {
  const standing = new Standing(store.connection, store.replica);
  store.copies = () => {
    const own = store.photos.filter((photo) => store.isMine(photo)).flatMap(recordsOf);
    const hashes = own.flatMap((record) => Object.values(record)).map((value) => value?.hash);
    return standing.reach(hashes).deviceCount;
  };
  standing.state.subscribe(() => store.changed());
}
