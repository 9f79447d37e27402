// The fewest removals, insertions and moves that make one list of words another.
// Source: E. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986.

/** How far each diagonal got, by the number of changes, until one reached the end of both. */
function trace(old, wanted) {
  const found = [];
  let reached = new Map([[1, 0]]);
  for (let count = 0; ; count++) {
    found.push(reached);
    const next = new Map();
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      let x = isDown(reached, diagonal, count) ? reached.get(diagonal + 1) : reached.get(diagonal - 1) + 1;
      while (x < old.length && x - diagonal < wanted.length && old[x] === wanted[x - diagonal]) x += 1;
      next.set(diagonal, x);
      if (x >= old.length && x - diagonal >= wanted.length) return found;
    }
    reached = next;
  }
}

/** Whether a diagonal is reached by an insertion. */
const isDown = (reached, diagonal, count) => diagonal === -count
  || (diagonal !== count && reached.get(diagonal - 1) < reached.get(diagonal + 1));

/**
 * The changes: `{removals, insertions}`, each `{offset, other}` by rising offsets. `other` is the offset of the
 * insertion or the removal that belongs to a move, or null.
 */
export function changesOf(old, wanted) {
  const [removals, insertions] = [[], []];
  const found = trace(old, wanted);
  let [x, y] = [old.length, wanted.length];
  for (let count = found.length - 1; count > 0; count--) {
    const diagonal = x - y;
    const before = diagonal + (isDown(found[count], diagonal, count) ? 1 : -1);
    x = found[count].get(before);
    if (before > diagonal) insertions.unshift({ offset: x - before, other: null });
    else removals.unshift({ offset: x, other: null });
    y = x - before;
  }
  // What goes from one place alone, and comes to one place alone, moves.
  const once = (changes, words) => {
    const places = new Map();
    for (const change of changes) {
      const word = words[change.offset];
      places.set(word, places.has(word) ? null : change);
    }
    return places;
  };
  const coming = once(insertions, wanted);
  for (const [word, removal] of once(removals, old)) {
    const insertion = coming.get(word);
    if (removal && insertion) [removal.other, insertion.other] = [insertion.offset, removal.offset];
  }
  return { removals, insertions };
}
