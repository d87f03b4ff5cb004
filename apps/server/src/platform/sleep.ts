import { setTimeout as delay } from 'node:timers/promises';

/** Waits for `ms`, or until it is aborted. Resolves in both cases. */
export async function sleep(ms: number, until: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: until }).catch(() => undefined);
}
