// Questions to the server that are no part of a session.

/**
 * Asks the server for JSON; throws its sentence, with its `status`, and the `standing` of who was here
 * before.
 */
export async function ask(path, body, method = body ? 'POST' : 'GET') {
  const response = await fetch(path, {
    method, ...body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } },
  });
  const { status } = response;
  if (response.ok) return status === 204 ? null : response.json();
  const { error, standing } = await response.json().catch(() => ({}));
  throw Object.assign(new Error(error ?? `${path}: ${status}`), { status, standing });
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
