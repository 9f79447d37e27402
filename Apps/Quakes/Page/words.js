// What the page says: plain sentences, numbers, units, times.

const language = globalThis.navigator?.language || 'en';
const numbers = new Intl.NumberFormat('en');
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const kilometresPerMile = 1.609344;
const steps = [[60, 'second'], [3600, 'minute'], [86_400, 'hour'], [7 * 86_400, 'day'],
  [Infinity, 'week']];
const seconds = { second: 1, minute: 60, hour: 3600, day: 86_400, week: 7 * 86_400 };

export const plural = (count, one, many = `${one}s`) =>
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

/** The moment where its reader is, with the time zone. */
export const hereTime = (milliseconds) => format(milliseconds, {
  year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit',
  timeZoneName: 'short',
});

/** The moment in UTC: "2026-08-06 10:41:12". */
export const universalTime = (milliseconds) =>
  new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');

/** The time of day where it is today, and the date as well where it is not. */
export function clockTime(milliseconds, now = Date.now()) {
  const isToday = new Date(milliseconds).toDateString() === new Date(now).toDateString();
  return format(milliseconds, isToday ? { timeStyle: 'short' }
    : { dateStyle: 'medium', timeStyle: 'short' });
}

/** The unit that people at this browser's place are used to. */
export const usualUnit = /^en-(US|GB)|^(US|LR|MM)$/.test(language) ? 'mi' : 'km';

/** "10 km", "6.2 mi"; one digit after the point below ten. */
export function distanceOf(kilometres, unit) {
  if (kilometres === null) return 'unknown';
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

/** Of several that come at once the strongest, and how many more. */
export function newLine(quakes, unit) {
  const [first, ...rest] = [...quakes].sort((one, other) =>
    (other.magnitude ?? -9) - (one.magnitude ?? -9));
  const more = rest.length ? ` And ${numbers.format(rest.length)} more.` : '';
  return `New: magnitude ${magnitudeOf(first)}, ${placeOf(first, unit)}.${more}`;
}

/** `{sentence, time}`: how the feed and the connection stand, and when the map was last up to date. */
export function stateOf({ phase, problem, checkedAt, now }) {
  const time = checkedAt ? `Last updated at ${clockTime(checkedAt, now)}.` : '';
  if (phase === 'out') return { sentence: 'This page may no longer look. Load it again.', time };
  if (phase === 'offline') return { sentence: 'No connection to the map’s server.', time };
  if (problem) return { sentence: problem, time };
  if (phase === 'connecting' || phase === 'off') return { sentence: 'Connecting…', time };
  if (!checkedAt) return { sentence: 'Waiting for the feed…', time };
  return { sentence: 'Live.', time };
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

/** Pages that stand in for the map. */
export const pages = {
  unreachable: ['The map does not answer',
    'Make sure that its server runs and that you are on its network. This page tries again by itself.'],
  unable: ['This browser cannot keep the map',
    'Private windows often forbid it. Open the page in an ordinary window.'],
};
