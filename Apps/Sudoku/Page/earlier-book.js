// What was in this device's own book before it was paired: it comes into the book of both.

import { Replica } from '/reunion/replica/replica.js';

const manyRecords = 1000;

/**
 * Writes what lives in earlier spaces into the replica of the present one, under the same ids. What is there, or was,
 * stays as it is: a page that goes in the middle goes on at its next start.
 */
export async function takeEarlierBooks(person, replica, spaces) {
  const { device, model, core } = replica;
  for (const space of spaces) {
    const book = await Replica.open({ space, device, model, core });
    for (const { name, fields } of model.entities) {
      const records = book.records(name).filter(({ id }) => !replica.get(name, id));
      while (records.length) {
        const some = records.splice(0, manyRecords);
        await replica.transaction((t) => {
          for (const record of some) {
            t.create(name, Object.fromEntries(fields.map((field) => [field.name, record[field.name]])), record.id);
          }
        });
      }
    }
    book.database.close();
  }
  await person.forgetEarlier();
}
