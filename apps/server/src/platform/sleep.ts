import { setTimeout as delay } from 'node:timers/promises';

/** Waits for so long, or until it is called off: both are an end like any other. */
export async function pause(ms: number, until: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: until }).catch(() => undefined);
}
