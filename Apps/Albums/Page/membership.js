// Who this browser is to the server: joining by a link, and what it remembers when there is none.

import { ask, remembered } from '/reunion/ask.js';

const memory = 'reunion-member';

const remember = (member) => {
  localStorage.setItem(memory, JSON.stringify(member));
  return member;
};

/**
 * Joins with the secret of the link, or goes on as whom the server knows: `{member, fragment}`, with
 * the link's fragment where it was good, or `{problem}` with `stranger`, `wrong`, `expired` or
 * `unreachable`.
 */
export async function enter() {
  const fragment = location.hash.slice(1);
  const secret = /^join=(.+)/.exec(fragment)?.[1];
  try {
    const member = secret ? await ask('/join', { invite: secret })
      : await ask('/session');
    if (secret) history.replaceState(null, '', location.pathname);
    return { member: remember(member), ...secret && { fragment } };
  } catch ({ status }) {
    const isRefused = status >= 400 && status < 500 && status !== 429;
    if (secret && isRefused) {
      const already = await ask('/session').catch(() => null);
      history.replaceState(null, '', location.pathname);
      if (already) return { member: remember(already) };
      return { problem: status === 410 ? 'expired' : 'wrong' };
    }
    if (isRefused) return { problem: 'stranger' };
    const known = secret ? null : JSON.parse(localStorage.getItem(memory));
    return known ? { member: known } : { problem: 'unreachable' };
  }
}

/** The guests' link and its QR code: `{url, svg}`. */
export const invite = () => ask('/invite');

/** The model, remembered for when the server does not answer. */
export const model = () => remembered('reunion-model', () => ask('/model.json'));
