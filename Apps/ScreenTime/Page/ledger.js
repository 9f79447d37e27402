// What counts for a day and what is left: as ScreenTimeCore computes it for the agent, from the same records.
// Apps/ScreenTime/Tests/Vectors/screen-time.json holds both to the same answers.

export const dayLength = 86_400_000;
/** Clocks that differ by less, in milliseconds, are believed. */
const ahead = 300_000;
const local = (wall, offset) => wall + Math.min(Math.max(offset, -93_600), 93_600) * 1000;

/** The day that a wall clock shows: days since 1970-01-01; `offset` is in seconds east of UTC. */
export const dayOf = (wall, offset) => Math.floor(local(wall, offset) / dayLength);
/** The milliseconds since its midnight. */
export const timeOf = (wall, offset) => local(wall, offset) - dayOf(wall, offset) * dayLength;
/** From 0, a Monday, to 6. */
export const weekdayOf = (day) => ((day % 7) + 10) % 7;

/** What belongs together, by a key: `Map.groupBy` of newer browsers. */
export function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (groups.has(key)) groups.get(key).push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** A moment that a clock said, or that of its arrival where the clock was ahead: `{moment, isMarked}`. */
export function place(moment, arrived) {
  const isMarked = arrived !== undefined && moment - arrived > ahead;
  return { moment: isMarked ? arrived : moment, isMarked };
}

/** Where on the day one device was used. It has one focus: what seems to be at once moves behind the other. */
function stretchesOf(uses, day, counts) {
  const mine = uses.filter((use) => use.day === day && use.milliseconds > 0)
    .sort((one, other) => one.number - other.number || one.start - other.start);
  const stretches = [];
  let free = -Infinity;
  for (const use of mine) {
    const start = Math.max(use.start, free);
    free = start + use.milliseconds;
    if (counts(use.program)) stretches.push([start, free]);
  }
  return stretches;
}

/**
 * The milliseconds of a day that were spent in programs that count. Each moment counts once, on however many
 * devices. A use is `{device, number, program, start, day, milliseconds}`.
 */
export function timeOn(uses, day, counts = () => true) {
  const stretches = [...grouped(uses, ({ device }) => device).values()]
    .flatMap((mine) => stretchesOf(mine, day, counts));
  let [total, reached] = [0, -Infinity];
  for (const [start, end] of stretches.sort((one, other) => one[0] - other[0])) {
    if (end <= reached) continue;
    total += end - Math.max(start, reached);
    reached = end;
  }
  return total;
}

const beats = (one, other) => one.minutes !== other.minutes ? one.minutes > other.minutes
  : one.at !== other.at ? one.at > other.at : one.id > other.id;

/** What counts of the grants: one for each request, the longest, and each gift. */
export function standing(grants) {
  const [answers, gifts] = [new Map(), []];
  for (const grant of grants) {
    if (grant.minutes <= 0) continue;
    if (!grant.request) gifts.push(grant);
    else if (!answers.has(grant.request) || beats(grant, answers.get(grant.request))) answers.set(grant.request, grant);
  }
  return [...gifts, ...answers.values()];
}

/** The minutes more of a day that a budget has; `category` is null for that of everything. */
export function moreMinutes(grants, day, offset, category) {
  const sum = standing(grants)
    .filter(({ target, at, asked }) => dayOf(Math.max(at, asked), offset) === day && (target === 'day'
      || (target.startsWith('category:') && (category === null || target === `category:${category}`))))
    .reduce((minutes, grant) => minutes + Math.min(grant.minutes, 1440), 0);
  return Math.min(sum, 1440);
}

/** Until when a rest that began may be put off, by what was granted since a moment. */
function putOff(grants, rest, start, end, since) {
  const mine = standing(grants)
    .filter(({ target, at }) => target === `rest:${rest}` && at < end && at >= since)
    .sort((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1));
  let reached = start;
  for (const { at, minutes } of mine) reached = Math.max(reached, at) + Math.min(minutes, 1440) * 60_000;
  return reached;
}

/** The time until a rest begins, 0 in it; null where it does not begin within a day. */
export function untilRest({ id, from, to, weekdays }, wall, offset, grants) {
  const isTime = (minutes) => minutes >= 0 && minutes < 1440;
  const length = (to - from + 1440) % 1440;
  if (!isTime(from) || !isTime(to) || !length) return null;
  const midnight = wall - timeOf(wall, offset);
  const isOn = (day) => weekdays & (1 << weekdayOf(day));
  for (const shift of [-1, 0, 1]) {
    const day = dayOf(wall, offset) + shift;
    if (!isOn(day)) continue;
    const start = midnight + shift * dayLength + from * 60_000;
    const end = start + length * 60_000;
    if (wall >= end) continue;
    const begins = putOff(grants, id, start, end, start - dayLength + (isOn(day - 1) ? length * 60_000 : 0));
    if (begins < end) return begins - wall < dayLength ? Math.max(0, begins - wall) : null;
  }
  return null;
}

/** What a budget says of a day: `{minutes, used, left}` with both in milliseconds; null where it says nothing. */
export function budgetOn(budget, day, { offset, categories, uses, grants }) {
  const given = budget.minutes[weekdayOf(day)];
  if (given === undefined) return null;
  const minutes = Math.min(Math.max(given, 0), 1440) + moreMinutes(grants, day, offset, budget.category);
  const used = timeOn(uses, day,
    (program) => budget.category === null || categories.get(program) === budget.category);
  return { minutes, used, left: Math.max(0, minutes * 60_000 - used) };
}

/** How much is left for a program now: `{left, reason}`, null where nothing limits it. */
export function verdict(program, wall, { offset, budgets, rests, categories, uses, grants }) {
  const day = dayOf(wall, offset);
  const category = categories.get(program) ?? null;
  let found = { left: null, reason: null };
  const lower = (left, reason) => { if (found.left === null || left < found.left) found = { left, reason }; };
  for (const budget of budgets) {
    if (budget.category !== null && budget.category !== category) continue;
    const state = budgetOn(budget, day, { offset, categories, uses, grants });
    if (state) lower(state.left, budget.category === null ? 'day' : `category:${budget.category}`);
  }
  for (const rest of rests) {
    const left = untilRest(rest, wall, offset, grants);
    if (left !== null) lower(left, `rest:${rest.id}`);
  }
  return found;
}
