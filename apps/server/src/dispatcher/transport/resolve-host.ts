import { lookup } from 'node:dns/promises';

/** The addresses that a name stands for. Rejects, or answers none, when it stands for none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/**
 * Resolves as the machine does, /etc/hosts included. Look-ups of one name that run at once are one: a name server that
 * hangs for one client's host then occupies one of the few threads that all look-ups share, not all of them.
 */
export function systemResolver(): ResolveHost {
  const running = new Map<string, Promise<readonly string[]>>();
  return (hostname) => {
    const known = running.get(hostname);
    if (known !== undefined) return known;
    const found = lookup(hostname, { all: true })
      .then((addresses) => addresses.map(({ address }) => address))
      .finally(() => running.delete(hostname));
    running.set(hostname, found);
    return found;
  };
}
