import { readFileSync } from 'node:fs';
import { answeredMax } from './limit-connections.ts';

/**
 * Left for the database, webhooks, logs and files: a deciding service holds about 150 open. Beyond the limit the kernel
 * refuses all of these, too.
 */
export const reservedFiles = 512;

/** Each connection of the management listener takes up to 1 MiB for a body. */
const managementMax = 1_000;

/** How many files this process may have open; `undefined` where the system does not tell. */
export function openFilesMax(): number | undefined {
  let limits: string;
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return undefined;
  }
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  return soft === undefined || soft === 'unlimited' ? undefined : Number(soft);
}

export interface ConnectionsMax {
  /** Of each thread that takes events. */
  readonly ingest: number;
  readonly management: number;
}

/**
 * How many connections the listeners may have open, so that the rest of the process never lacks files. A very small
 * limit leaves an eighth of it for events, because a service that takes none is of no use.
 *
 * @param ingest what each of the `threads` that take events would have with files enough
 */
export function connectionsWithin(
  filesMax: number | undefined,
  { ingest, threads }: { readonly ingest: number; readonly threads: number },
): ConnectionsMax {
  if (filesMax === undefined) return { ingest, management: managementMax };
  const management = Math.max(16, Math.min(managementMax, Math.floor(filesMax / 16)));
  const left = filesMax - reservedFiles - management - answeredMax * (threads + 1);
  const each = Math.floor(Math.max(filesMax / 8, left) / threads);
  return { ingest: Math.max(1, Math.min(ingest, each)), management };
}
