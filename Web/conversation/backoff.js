// Back-off with full jitter. Source: Brooker, "Exponential Backoff And Jitter", AWS, 2015.

/** How long to wait before attempt `attempt` (from 0), in milliseconds: 0 to 0.5, 1, 2 … 30 s. */
export function backoff(attempt, { first = 500, most = 30_000, random = Math.random } = {}) {
  return random() * Math.min(most, first * 2 ** Math.min(attempt, 16));
}
