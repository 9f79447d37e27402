// What the rules say of a grid: 81 numbers, row by row, with 0 for an empty cell.

export const places = Array.from({ length: 81 }, (_, place) => place);
export const digits = [1, 2, 3, 4, 5, 6, 7, 8, 9];
export const rowOf = (place) => Math.floor(place / 9);
export const columnOf = (place) => place % 9;
export const boxOf = (place) => Math.floor(place / 27) * 3 + Math.floor((place % 9) / 3);

/** Whether two cells share a row, a column or a box. */
export const see = (one, other) => one !== other && (rowOf(one) === rowOf(other)
  || columnOf(one) === columnOf(other) || boxOf(one) === boxOf(other));

/** Whether a cell is in a house: 0 to 8 are the rows, 9 to 17 the columns, 18 to 26 the boxes. */
export const isIn = (place, house) =>
  [rowOf, columnOf, boxOf][Math.floor(house / 9)](place) === house % 9;

const peers = places.map((place) => places.filter((other) => see(place, other)));
export const peersOf = (place) => peers[place];

/** The cells whose digit stands twice in a house. */
export const clashesOf = (values) => new Set(places.filter((place) => values[place]
  && peers[place].some((peer) => values[peer] === values[place])));

/** Whether a grid is full, without a clash: that is the solution if the puzzle has only one. */
export const isSolved = (values) => values.every(Boolean) && !clashesOf(values).size;

/** The digits that the rules leave to a cell, as bits. */
export const candidatesOf = (values, place) =>
  peers[place].reduce((mask, peer) => (values[peer] ? mask & ~bitOf(values[peer]) : mask), 0x1ff);

export const bitOf = (digit) => 1 << (digit - 1);
export const digitsOf = (mask) => digits.filter((digit) => mask & bitOf(digit));

/** The usual text of 81 characters, and what it means. */
export const textOf = (values) => values.map((value) => value || '.').join('');
export const valuesOf = (text) => [...text].map((each) => Number(each) || 0);

/** The grid as a link carries it: digits, and a letter for each run of empty cells. */
export const linkOf = (values) => textOf(values).replace(/\.{1,26}/g,
  (run) => String.fromCharCode(96 + run.length));
