import { lookup } from 'node:dns/promises';
import { hungLookUpMs, hungLookUpsMax } from '../bounds.ts';

/** The addresses of a host name. Rejects, or returns an empty list, when it has none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/**
 * Resolves like the machine, including /etc/hosts. Concurrent look-ups of one name are merged. Names whose name servers
 * did not answer last time share a few of the thread pool's threads, which all look-ups need, including those for the
 * database: such names wait for each other, and no other look-up waits for them.
 *
 * @param ask the machine's resolver
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
      // Even when it was slow: it may have waited for a thread itself.
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
