// What a delete does to the records that name the deleted one, by the model's rules, in the same transaction:
// the same as in Swift (`DeletePlan`), as `DeleteRulesInJavaScriptTests` checks. Only models with rules load it.

import { decodeValue } from '../replica/model.js';
import { Transaction, recordKey } from './transaction.js';

/** Has a model's rules act on what its transactions delete. */
export function extend(model) {
  const rules = new Map();
  for (const { name: entity, fields } of model.entities) {
    for (const { name: field, target, onDelete } of fields.filter((each) => each.onDelete)) {
      rules.set(target, [...rules.get(target) ?? [], { entity, field, onDelete }]);
    }
  }
  model.Transaction = ruled(model.Transaction ?? Transaction, model, rules);
}

/** Transactions whose deletes act by rules: of each entity's number the fields that name its records. */
const ruled = (Base, model, rules) => class extends Base {
  #replica; #deleted = []; #names = new Map();

  constructor(of, replica, held) {
    super(of, replica, held);
    this.#replica = replica;
  }

  /** Deletes a record, and what the rules say beside it; throws where another record refuses. */
  delete(record) {
    if (!rules.has(model.entity(record.entity).number)) return super.delete(record);
    if (this.#isAlive(record)) this.#perform([record], () => true);
    return undefined;
  }

  /** Acts on what has come since: what an earlier transaction wrote that was not performed yet. */
  settle() {
    this.#names.clear();
    const isNew = (record) => !this.writes.has(this.#key(record));
    if (this.#deleted.length) this.#perform(this.#deleted, isNew);
  }

  #key({ entity, id }) { return recordKey(model.entity(entity).number, id); }

  /** What is asked for whole is worked out before any of it is done: a refusal leaves nothing half deleted. */
  #perform(roots, isMeant) {
    const [deleted, cleared, refusals] = [[...roots], [], []];
    // A record that is in here is not visited again, so that circles end.
    const seen = new Set(roots.map((record) => this.#key(record)));
    for (const named of deleted) {
      for (const { entity, field, onDelete } of rules.get(model.entity(named.entity).number) ?? []) {
        for (const record of this.#namers(entity, field, named.id).filter(isMeant)) {
          const key = this.#key(record);
          if (onDelete === 'clear') cleared.push({ record, field });
          else if (onDelete === 'refuse') refusals.push({ record, field, named });
          else if (!seen.has(key)) {
            seen.add(key);
            deleted.push(record);
          }
        }
      }
    }
    const stays = ({ record }) => !seen.has(this.#key(record));
    const refusal = refusals.find(stays);
    if (refusal) {
      const { record, field, named } = refusal;
      throw new Error(`The ${named.entity} ${named.id} stays, because the ${record.entity} ${record.id} names it: `
        + `delete that ${record.entity} first, or change its ${field}.`);
    }
    for (const { entity, id } of deleted) {
      if (this.#isAlive({ entity, id })) super.delete({ entity, id });
      if (!this.#deleted.some((each) => each.id === id && each.entity === entity)) this.#deleted.push({ entity, id });
    }
    for (const { record, field } of cleared.filter(stays)) this.set(record, { [field]: null });
  }

  /** How a record stands, with what this transaction has done to it. */
  #standing(record) {
    const inSteps = super.standing?.(record);
    if (inSteps) return inSteps;
    const held = this.#replica.get(record.entity, record.id);
    const { creates, deletes, fields } = this.writes.get(this.#key(record)) ?? { fields: new Map() };
    return {
      isAlive: !deletes && Boolean(creates || fields.size || held?.alive),
      value: (name) => {
        const written = fields.get(name);
        return written ? decodeValue(written.kind, written.bytes) : held?.[name];
      },
    };
  }
  #isAlive(record) { return this.#standing(record).isAlive; }

  /** The living records of an entity of which a field names a record. */
  #namers(entity, field, id) {
    const index = `${entity} ${field}`;
    if (!this.#names.has(index)) {
      const byName = new Map();
      for (const record of this.#replica.records(entity)) {
        const name = record[field];
        if (name) byName.set(name, [...byName.get(name) ?? [], record.id]);
      }
      this.#names.set(index, byName);
    }
    const written = [...this.writes.values()].filter((write) => write.entity.name === entity);
    const found = new Set([...this.#names.get(index).get(id) ?? [], ...written.map((write) => write.id)]);
    return [...found].map((each) => ({ entity, id: each })).filter((record) => {
      const { isAlive, value } = this.#standing(record);
      return isAlive && value(field) === id;
    });
  }
};
