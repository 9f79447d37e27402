// A crop as it is drawn: edges in parts of the turned picture's sides, and what moves them.

/** Parts of a side: the core's unit, so that an edit says exactly what was seen. */
export const parts = 65535;
export const whole = Object.freeze({ left: 0, top: 0, right: parts, bottom: parts });
const least = Math.round(parts / 50);

const clamp = (value, low, high) => Math.round(Math.min(Math.max(value, low), high));
export const widthOf = ({ left, right }) => right - left;
export const heightOf = ({ top, bottom }) => bottom - top;

/** The same part of the picture after a quarter turn clockwise. */
export const turned = ({ left, top, right, bottom }) =>
  ({ left: parts - bottom, top: left, right: parts - top, bottom: right });

const turnedBy = (rect, count) => (count ? turnedBy(turned(rect), count - 1) : rect);

/** An edit's bytes as they are drawn: `{rect, turns}`; null is the picture as it was taken. */
export function viewOf(edit) {
  if (!edit) return { rect: whole, turns: 0 };
  const view = new DataView(edit.buffer, edit.byteOffset, 9);
  const [left, top, right, bottom] = [1, 3, 5, 7].map((at) => view.getUint16(at));
  const turns = view.getUint8(0);
  return { rect: turnedBy({ left, top, right, bottom }, turns), turns };
}

/** The bytes of an edit that shows this, or null where it is the picture as it was taken. */
export function editOf({ rect, turns }) {
  const { left, top, right, bottom } = turnedBy(rect, (4 - turns) % 4);
  if (!turns && left === 0 && top === 0 && right === parts && bottom === parts) return null;
  const view = new DataView(new ArrayBuffer(9));
  view.setUint8(0, turns);
  [left, top, right, bottom].forEach((edge, index) => view.setUint16(1 + index * 2, edge));
  return new Uint8Array(view.buffer);
}

/** The rectangle moved, as far as the picture goes. */
export function moved(rect, across, down) {
  const left = clamp(rect.left + across, 0, parts - widthOf(rect));
  const top = clamp(rect.top + down, 0, parts - heightOf(rect));
  return { left, top, right: left + widthOf(rect), bottom: top + heightOf(rect) };
}

/** The largest rectangle of a ratio (width ÷ height, in parts) around the middle of another. */
export function fitted(rect, ratio) {
  const width = clamp(Math.min(parts, parts * ratio), 1, parts);
  const height = clamp(width / ratio, 1, parts);
  return placed((rect.left + rect.right - width) / 2, (rect.top + rect.bottom - height) / 2,
    width, height);
}

function placed(x, y, width, height) {
  const left = clamp(x, 0, parts - width);
  const top = clamp(y, 0, parts - height);
  return { left, top, right: left + width, bottom: top + height };
}

/**
 * The rectangle with some edges moved: `edges` names one or two of left, top, right, bottom, as in
 * "top left". With a ratio it keeps it: a corner pulls both sides, an edge grows around the middle.
 */
export function resized(rect, edges, across, down, ratio) {
  const pulls = (edge) => edges.includes(edge);
  if (!ratio) {
    return {
      left: pulls('left') ? clamp(rect.left + across, 0, rect.right - least) : rect.left,
      top: pulls('top') ? clamp(rect.top + down, 0, rect.bottom - least) : rect.top,
      right: pulls('right') ? clamp(rect.right + across, rect.left + least, parts) : rect.right,
      bottom: pulls('bottom') ? clamp(rect.bottom + down, rect.top + least, parts) : rect.bottom,
    };
  }
  const byWidth = widthOf(rect) + (pulls('left') ? -across : pulls('right') ? across : 0);
  const byHeight = (heightOf(rect) + (pulls('top') ? -down : pulls('bottom') ? down : 0)) * ratio;
  const isAcross = pulls('left') || pulls('right');
  const isDown = pulls('top') || pulls('bottom');
  // The room from the edge or corner that stays.
  const wide = pulls('left') ? rect.right : pulls('right') ? parts - rect.left : parts;
  const high = pulls('top') ? rect.bottom : pulls('bottom') ? parts - rect.top : parts;
  const wanted = isAcross && isDown ? (byWidth + byHeight) / 2 : isAcross ? byWidth : byHeight;
  const most = Math.min(wide, high * ratio);
  const width = clamp(wanted, Math.min(Math.max(least, least * ratio), most), most);
  const height = clamp(width / ratio, 1, high);
  return placed(
    pulls('left') ? rect.right - width
      : pulls('right') ? rect.left : (rect.left + rect.right - width) / 2,
    pulls('top') ? rect.bottom - height
      : pulls('bottom') ? rect.top : (rect.top + rect.bottom - height) / 2,
    width, height);
}
