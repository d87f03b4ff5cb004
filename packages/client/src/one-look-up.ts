import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Looks a name up as the system does, and tells of it later: an error, or at least one address. */
export type LookUp = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  tell: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

interface Waiting {
  readonly wantsAll: boolean;
  readonly tell: Parameters<LookupFunction>[2];
}

/**
 * For connections to one host: looks its name up once at a time, for all that wait for it. The system's look-ups run on the
 * four threads that a process has for them and for its files, and cannot be taken back: a name server that is silent
 * about the host would hold all of them, and the bank's own names would wait behind it.
 * Source: docs/decisions/0031-client-package.md
 */
export function oneLookUp(lookUp: LookUp = lookup): LookupFunction {
  let waiting: Waiting[] = [];
  return (hostname, options, tell) => {
    if (waiting.length === 0) {
      lookUp(hostname, { ...options, all: true }, (error, addresses) => {
        const told = waiting;
        waiting = [];
        for (const one of told) tellOne(one, error, addresses);
      });
    }
    waiting.push({ wantsAll: options.all === true, tell });
  };
}

function tellOne({ wantsAll, tell }: Waiting, error: NodeJS.ErrnoException | null, addresses: LookupAddress[]): void {
  if (error !== null) return tell(error, '');
  const [{ address, family }] = addresses as [LookupAddress];
  if (wantsAll) tell(null, addresses);
  else tell(null, address, family);
}
