import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Resolves a name like `dns.lookup`: calls back later with an error or at least one address. */
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
 * DNS look-up for connections to one host: makes one look-up at a time and shares it among all callers. System look-ups
 * use the process's four threads for look-ups and files, and can't be cancelled: with an unresponsive name server they
 * would occupy all of them and block the bank's own look-ups.
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
