// The family's zone: by it days and rests are judged, whatever zone a device or a browser is in.

const formats = new Map();
function formatOf(zone) {
  if (!formats.has(zone)) {
    let format = null;
    try {
      format = new Intl.DateTimeFormat('en-US', {
        timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric',
        hour: 'numeric', minute: 'numeric', second: 'numeric',
      });
    } catch { /* A zone that this browser does not know. */ }
    formats.set(zone, format);
  }
  return formats.get(zone);
}

/** Seconds east of UTC in a zone at a moment; undefined where this browser does not know the zone. */
export function offsetIn(zone, moment) {
  const format = zone ? formatOf(zone) : null;
  if (!format) return undefined;
  const { year, month, day, hour, minute, second } = Object.fromEntries(
    format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
  return (Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1000) * 1000) / 1000;
}

/** The zone of this browser. */
export const ownZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zones that there are to choose, with one that is chosen. */
export function zonesWith(chosen) {
  const all = new Set([...Intl.supportedValuesOf?.('timeZone') ?? [], 'UTC', ownZone(), chosen].filter(Boolean));
  return [...all].sort();
}
