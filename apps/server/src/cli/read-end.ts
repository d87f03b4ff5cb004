import { endExpected, instantOfEnd } from '@ringfence/contract';
import { UsageError } from './cli-io.ts';

/** Reads `7d` (from now) or an instant with a zone. @throws UsageError */
export function readEnd(text: string, nowMs: number): number {
  const atMs = instantOfEnd(text, nowMs);
  if (atMs === undefined) throw new UsageError(`"${text}" is not a valid end: expected ${endExpected}.`);
  return atMs;
}
