// What the page says: every sentence, label, number, unit and time that a person reads. No other
// module holds one.

const language = globalThis.navigator?.language || 'en';
const numbers = new Intl.NumberFormat('en');
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const kilometresPerMile = 1.609344;
const steps = [[60, 'second'], [3600, 'minute'], [86_400, 'hour'], [7 * 86_400, 'day'],
  [Infinity, 'week']];
const seconds = { second: 1, minute: 60, hour: 3600, day: 86_400, week: 7 * 86_400 };

const plural = (count, one, many = `${one}s`) =>
  `${numbers.format(count)} ${count === 1 ? one : many}`;

/** "4.6", "−0.3"; "?" where it is not known. */
export const magnitudeOf = ({ magnitude }) =>
  (magnitude === null ? '?' : magnitude.toFixed(1).replace('-', '\u2212'));

/** "just now", "12 minutes ago" */
export function agoOf(milliseconds, now = Date.now()) {
  const age = Math.max((now - milliseconds) / 1000, 0);
  if (age < 10) return 'just now';
  const [, unit] = steps.find(([limit]) => age < limit);
  return relative.format(-Math.floor(age / seconds[unit]), unit);
}

const formats = {};
const format = (milliseconds, options) => {
  formats[JSON.stringify(options)] ??= new Intl.DateTimeFormat(undefined, options);
  return formats[JSON.stringify(options)].format(milliseconds);
};

/** What was felt, where it was no earthquake; empty where it was. */
const kindOf = ({ kind }) => (kind === 'Earthquake' ? '' : kind);

/** The moment where its reader is, with the time zone. */
export const hereTime = (milliseconds) => format(milliseconds, {
  year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit',
  timeZoneName: 'short',
});

/** The moment in UTC: "2026-08-06 10:41:12". */
export const universalTime = (milliseconds) =>
  new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');

/** The time of day where it is today, and the date as well where it is not. */
function clockTime(milliseconds, now = Date.now()) {
  const isToday = new Date(milliseconds).toDateString() === new Date(now).toDateString();
  return format(milliseconds, isToday ? { timeStyle: 'short' }
    : { dateStyle: 'medium', timeStyle: 'short' });
}

/** The unit that people at this browser's place are used to. */
export const usualUnit = /^en-(US|GB)|^(US|LR|MM)$/.test(language) ? 'mi' : 'km';

const unknown = 'unknown';

/** "10 km", "6.2 mi"; one digit after the point below ten. */
export function distanceOf(kilometres, unit) {
  if (kilometres === null) return unknown;
  const value = unit === 'mi' ? kilometres / kilometresPerMile : kilometres;
  return `${value.toFixed(Math.abs(value) < 10 ? 1 : 0).replace('-', '\u2212')} ${unit}`;
}

/** A place as the feed words it, its "22 km ESE of …" in the reader's unit. */
export const placeOf = ({ place, kind }, unit) =>
  (unit === 'km' ? place : place.replace(/^(\d+(?:\.\d+)?) ?km /,
    (_, kilometres) => `${Math.round(kilometres / kilometresPerMile)} mi `)) || kind;

/** "24.131° S, 67.004° W" */
export function coordinatesOf({ latitude, longitude }) {
  const part = (value, positive, negative) =>
    `${Math.abs(value).toFixed(3)}° ${value < 0 ? negative : positive}`;
  return `${part(latitude, 'N', 'S')}, ${part(longitude, 'E', 'W')}`;
}

export const depthNames = ['Shallow', 'Intermediate', 'Deep'];
export const depthRanges = (unit) => (unit === 'mi'
  ? ['0–43 mi', '43–186 mi', '186+ mi'] : ['0–70 km', '70–300 km', '300+ km']);

/** What a row says below the place: "12 minutes ago · 10 km deep" */
export function aboutLine(quake, unit) {
  const deep = quake.depth === null ? `depth ${unknown}` : `${distanceOf(quake.depth, unit)} deep`;
  return `${kindOf(quake) && `${quake.kind}, `}${agoOf(quake.at)} · ${deep}`;
}

/** Of several that come at once the strongest, and how many more. */
export function newLine(quakes, unit) {
  const [first, ...rest] = [...quakes].sort((one, other) =>
    (other.magnitude ?? -9) - (one.magnitude ?? -9));
  const more = rest.length ? ` And ${numbers.format(rest.length)} more.` : '';
  return `New: magnitude ${magnitudeOf(first)}, ${placeOf(first, unit)}.${more}`;
}

/** `{sentence, time, isLive}`: how the feed and the connection stand, and when the map was last up to date. */
export function stateOf({ phase, isOld, problem, checkedAt, now }) {
  const time = checkedAt ? `Last updated at ${clockTime(checkedAt, now)}.` : '';
  if (phase === 'out') return { sentence: 'This page has no access any more. Load it again.', time };
  if (phase === 'offline') return { sentence: 'No connection to the map’s server.', time };
  if (isOld) {
    return { sentence: 'This page is too old to show all that is here. Load it again to get the new one.', time };
  }
  if (problem) return { sentence: problem, time };
  if (phase === 'connecting' || phase === 'off') return { sentence: 'Connecting…', time };
  if (!checkedAt) return { sentence: 'Waiting for the feed…', time };
  return { sentence: 'Live.', time, isLive: true };
}

/** "12 of 214 earthquakes from USGS All Earthquakes, Past Day" */
export const countLine = (shown, all, title) => all && [
  shown === all ? '' : `${numbers.format(shown)} of`, plural(all, 'earthquake'),
  title && `from ${title}`].filter(Boolean).join(' ');

/** "3 matches; “4.5+” hides 2 more." */
export function matchLine(count, shown, hidden, least) {
  const newest = shown < count ? `The newest ${numbers.format(shown)} of ` : '';
  const matches = count ? newest + plural(count, 'match', 'matches') : 'Nothing matches';
  const others = `; “${least}+” hides ${numbers.format(hidden)}${count ? ' more' : ''}`;
  return `${matches}${hidden ? others : ''}.`;
}

/** The page, its map and its list. */
export const pageWords = {
  again: 'Try again',
  all: 'All',
  chosen: 'Chosen earthquake',
  close: 'Close',
  closer: 'Closer',
  depth: 'Depth',
  farther: 'Farther',
  heading: 'Earthquakes',
  legend: 'Legend',
  list: 'List',
  magnitude: 'Magnitude',
  map: 'Map',
  mapRole: 'map',
  mapOf: (count) => `Map of ${plural(count, 'earthquake')}. Arrow keys move it, plus and minus zoom, and `
    + 'Enter chooses the one nearest to the middle. The list has them all.',
  more: (count) => `Show ${numbers.format(count)} more`,
  newestFirst: 'Earthquakes, the newest first',
  none: 'No earthquakes yet.',
  noneStrong: 'None is that strong.',
  size: (magnitude) => `M ${magnitude}`,
  unit: (unit) => `Distances in ${unit}. Show ${unit === 'km' ? 'miles' : 'kilometres'}`,
  world: 'Whole world',
  zoom: 'Zoom',
};

/** One earthquake, on its card. */
export const detailWords = {
  depth: ({ depth }, depthClass, unit) =>
    (depth === null ? unknown : `${distanceOf(depth, unit)}, ${depthNames[depthClass].toLowerCase()}`),
  facts: {
    when: 'When', here: 'Your time', universal: 'UTC', depth: 'Depth', place: 'Place', updated: 'Updated',
  },
  /** What it was, where it was no earthquake, and whether its magnitude is unknown. */
  kind(quake) {
    const lacking = quake.magnitude === null ? 'Magnitude not known yet' : '';
    const kind = kindOf(quake);
    return kind && lacking ? `${kind}, ${lacking.toLowerCase()}` : kind || lacking;
  },
  more: 'More about it',
  never: 'never',
};

/** The search. */
export const searchWords = {
  cancel: 'Cancel',
  hint: 'Type a place, a depth as “deep”, or a magnitude as “5+”.',
  matches: 'Matches',
  search: 'Search earthquakes',
  showAll: 'Show all',
};

/** Pages that stand in for the map. */
export const pages = {
  unreachable: ['The map does not answer',
    'Make sure its server is running and you are on its network. This page keeps trying.'],
  unable: ['This browser cannot keep the map',
    'Private windows often forbid it. Open the page in an ordinary window.'],
};
