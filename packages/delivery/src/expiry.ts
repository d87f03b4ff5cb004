import { dayMs, minuteMs } from '@ringfence/contract';

/** Closing a session is worth nothing once the thief has left it. */
const closeSessionLifetimeMs = 15 * minuteMs;
/** A message to a person is still of use the next day. */
const messageLifetimeMs = dayMs;
/** Blocks and custom actions: a person would look again before doing it later. */
const otherLifetimeMs = 60 * minuteMs;

/**
 * How long after its decision an action may still be sent; later it has expired, and says so.
 *
 * @param expiryMinutes the workspace's own limits by action number; others keep the product's
 */
export function lifetimeMs(action: number, expiryMinutes: Readonly<Record<string, number>> = {}): number {
  const own = expiryMinutes[String(action)];
  if (own !== undefined) return own * minuteMs;
  if (action === 2) return closeSessionLifetimeMs;
  return action >= 3 && action <= 5 ? messageLifetimeMs : otherLifetimeMs;
}
