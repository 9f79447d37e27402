// Questions to the server that are no part of a session.

/**
 * Asks the server for JSON; throws its sentence, with its `status`, and the `standing` of who was here
 * before. Every error of the server has a sentence, in JSON: what answers in another way, such as a proxy or the page
 * where a network wants one to sign in, stands in its place, and decides nothing. Then the server does not answer.
 */
export async function ask(path, body, method = body ? 'POST' : 'GET') {
  const response = await fetch(path, {
    method, ...body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } },
  });
  const { status } = response;
  if (status === 204) return null;
  const answer = await response.json().catch(() => undefined);
  if (response.ok && answer !== undefined) return answer;
  if (typeof answer?.error !== 'string') throw new TypeError(`Not the server answered ${path}, with ${status}.`);
  const { error, standing } = answer;
  throw Object.assign(new Error(error), { status, standing });
}

/** The answer to a question, kept under a name for when there is none. */
export async function remembered(name, question) {
  try {
    const answer = await question();
    localStorage.setItem(name, JSON.stringify(answer));
    return answer;
  } catch (error) {
    const known = localStorage.getItem(name);
    if (known) return JSON.parse(known);
    throw error;
  }
}

/** Whether the server still knows this browser: false only where it says no. */
export const isMember = () => ask('/session').then(() => true, ({ status }) =>
  ![401, 403].includes(status));
