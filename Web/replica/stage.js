// A push that is still arriving: merged as it comes, seen by nobody until it is whole.

import { noCells } from '../core/flat.js';
import { recordKey } from '../writing/transaction.js';

export class Stage {
  /** By record key: `{changed, row, entry, from, incoming}`; `incoming` is not merged. */
  outcomes = new Map();
  /** The latest stamp of all. */
  stamp = 0n;
  /** The records of which changes were refused: `{entity, id, sent, sentence}`. */
  refusals = [];
  /** The keys of records that are held and came back after a delete: anew.js says what of them stays. */
  back = new Set();
  #held; #merge;

  /** - held(key): the flat cells held; merge(record, held): the outcome, `{changed, entry}`. */
  constructor(held, merge) {
    this.#held = held;
    this.#merge = merge;
  }

  /**
   * Takes a part: the latest stamp, `{entity, id, row}` of each record, and refusals. Where a record's row `isWhole`,
   * it is merged already.
   */
  add({ stamp, records, refusals = [], isWhole }) {
    this.refusals.push(...refusals);
    if (stamp > this.stamp) this.stamp = stamp;
    for (const record of records) {
      const key = recordKey(record.entity, record.id);
      const before = this.outcomes.get(key);
      const from = before?.from ?? this.#held(key);
      const outcome = this.#merge(record, before?.entry.cells ?? from, isWhole);
      outcome.changed ||= before?.changed;
      if (outcome.entry.isBack && from !== noCells) this.back.add(key);
      outcome.from = from;
      outcome.incoming = before ? [...before.incoming, record] : [record];
      this.outcomes.set(key, outcome);
    }
  }

  /** The outcomes that change something, merged again where what is held is now another. */
  ready(held) {
    const changed = new Map();
    for (const [key, staged] of this.outcomes) {
      const now = held(key);
      let outcome = staged;
      if (now !== staged.from && now !== staged.entry.cells) {
        outcome = { entry: { cells: now } };
        for (const record of staged.incoming) {
          const isChanged = outcome.changed;
          outcome = this.#merge(record, outcome.entry.cells);
          outcome.changed ||= isChanged;
        }
        Object.assign(outcome, { from: now, incoming: staged.incoming });
        this.outcomes.set(key, outcome);
      }
      if (outcome.changed) changed.set(key, outcome);
    }
    return changed;
  }
}
