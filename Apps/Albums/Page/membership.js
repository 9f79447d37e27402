// The member that this browser is to the server: joining by a link, and what it remembers when there is none.

import { ask } from '/reunion/conversation/ask.js';

const memory = 'reunion-member';
const leftMemory = 'reunion-left';
const kept = (name) => JSON.parse(localStorage.getItem(name));
const keep = (name, value) => localStorage.setItem(name, JSON.stringify(value));

/** As whom this browser was put out, until what it left is seen to: `{space, device, changes}`. */
export const left = {
  get known() { return kept(leftMemory); },
  note: (known) => keep(leftMemory, known),
  forget: () => localStorage.removeItem(leftMemory),
};

/** The host has put this browser out: what waits here is not sent any more. */
function putOut() {
  const known = kept(memory);
  if (known && !left.known) left.note({ space: known.space, device: known.device });
  localStorage.removeItem(memory);
}

const remember = (member) => {
  if (member.before) putOut();
  keep(memory, member);
  return member;
};

/** Forgets who this browser was, but for the space that the next page removes. */
export function forgetMember(space) {
  localStorage.clear();
  keep('reunion-gone', space);
}

/** The space of which this browser signed out. */
export const gone = () => kept('reunion-gone');

/**
 * Joins with the secret of the link, or goes on as whom the server knows: `{member, fragment}`, with
 * the link's fragment where it was good, or `{problem}` with `stranger`, `wrong`, `expired`, `lapsed`,
 * `left`, `out` or `unreachable`.
 */
export async function enter() {
  const fragment = location.hash.slice(1);
  const secret = /^join=(.+)/.exec(fragment)?.[1];
  try {
    const member = secret ? await ask('/join', { invite: secret })
      : await ask('/session');
    if (secret) history.replaceState(null, '', location.pathname);
    return { member: remember(member), ...secret && { fragment } };
  } catch ({ status, standing }) {
    const isRefused = status >= 400 && status < 500 && status !== 429;
    if (secret && isRefused) {
      const already = await ask('/session').catch(() => null);
      history.replaceState(null, '', location.pathname);
      if (already) return { member: remember(already) };
      return { problem: status === 410 ? 'expired' : 'wrong' };
    }
    if (standing === 'put-out') putOut();
    if (isRefused) return { problem: problems[standing ?? fragment] ?? 'stranger' };
    const known = secret ? null : kept(memory);
    return known ? { member: known } : { problem: 'unreachable' };
  }
}

const problems = { 'put-out': 'out', lapsed: 'lapsed', left: 'left' };

/** The guests' link and its QR code: `{url, svg}`. */
export const invite = () => ask('/invite');
