import { lookup } from 'node:dns/promises';
import { hungLookUpMs, hungLookUpsMax } from '../bounds.ts';

/** The addresses that a name stands for. Rejects, or answers none, when it stands for none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/**
 * Resolves as the machine does, /etc/hosts included. Look-ups of one name that run at once are one. Names whose name servers
 * did not answer the last time share a few of the threads that all look-ups need, also those for the database: they wait for
 * each other, and nobody else waits for them.
 *
 * @param ask the machine
 * @param monotonicMs milliseconds of a clock that never jumps
 */
export function systemResolver(ask: ResolveHost = askMachine, monotonicMs = () => performance.now()): ResolveHost {
  const running = new Map<string, Promise<readonly string[]>>();
  const hung = new Set<string>();
  const waiting: (() => void)[] = [];
  let free = hungLookUpsMax;

  async function timed(hostname: string): Promise<readonly string[]> {
    const begunAtMs = monotonicMs();
    try {
      const addresses = await ask(hostname);
      // However late: it may have waited for a thread itself.
      hung.delete(hostname);
      return addresses;
    } catch (error) {
      if (monotonicMs() - begunAtMs > hungLookUpMs) hung.add(hostname);
      throw error;
    }
  }

  async function inTurn(hostname: string): Promise<readonly string[]> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await timed(hostname);
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  }

  return (hostname) => {
    const known = running.get(hostname);
    if (known !== undefined) return known;
    const found = (hung.has(hostname) ? inTurn(hostname) : timed(hostname)).finally(() => running.delete(hostname));
    running.set(hostname, found);
    return found;
  };
}

async function askMachine(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}
