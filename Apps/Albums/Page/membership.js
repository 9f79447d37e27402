// Who this browser is to the server: joining by a link, and what it remembers when there is none.

const memory = 'reunion-member';

/** Asks the server for JSON; throws with its `status`. */
export async function ask(path, body) {
  const response = await fetch(path, body && {
    method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' },
  });
  if (response.ok) return response.json();
  throw Object.assign(new Error(`${path}: ${response.status}`), { status: response.status });
}

const remember = (member) => {
  localStorage.setItem(memory, JSON.stringify(member));
  return member;
};

/**
 * Joins with the secret of the link, or goes on as whom the server knows: `{member}`, or
 * `{problem}` with `stranger`, `wrong`, `expired` or `unreachable`.
 */
export async function enter() {
  const secret = /^#join=(.+)/.exec(location.hash)?.[1];
  try {
    const member = secret ? await ask('/join', { invite: secret })
      : await ask('/session');
    if (secret) history.replaceState(null, '', location.pathname);
    return { member: remember(member) };
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

/** Whether the server still knows this browser: false only where it says no. */
export const isMember = () => ask('/session').then(() => true, ({ status }) =>
  ![401, 403].includes(status));

/** The guests' link and its QR code: `{url, svg}`. */
export const invite = () => ask('/invite');

/** The model, remembered for when the server does not answer. */
export async function model() {
  try {
    const text = JSON.stringify(await ask('/model.json'));
    localStorage.setItem('reunion-model', text);
    return JSON.parse(text);
  } catch (error) {
    const known = localStorage.getItem('reunion-model');
    if (known) return JSON.parse(known);
    throw error;
  }
}
