import { dayMs, minuteMs } from '@ringfence/contract';

/** After 15 minutes a thief is done with the session, and closing it is useless. */
const closeSessionLifetimeMs = 15 * minuteMs;
/** A message to a person is still useful the next day. */
const messageLifetimeMs = dayMs;
/** Blocks and custom actions: after an hour a person should look again first. */
const otherLifetimeMs = 60 * minuteMs;

/** The end of a hold is sent for a week: a bank that is down must not keep a payment that was released. */
export const endingLifetimeMs = 7 * dayMs;

/**
 * How long after its decision an action may be sent; after that it expires.
 *
 * @param expiryMinutes the workspace's own limits by action number; other actions keep the defaults
 */
export function lifetimeMs(action: number, expiryMinutes: Readonly<Record<string, number>> = {}): number {
  const own = expiryMinutes[String(action)];
  if (own !== undefined) return own * minuteMs;
  if (action === 2) return closeSessionLifetimeMs;
  return action >= 3 && action <= 5 ? messageLifetimeMs : otherLifetimeMs;
}
