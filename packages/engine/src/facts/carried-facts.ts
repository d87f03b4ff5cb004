import { type CarriedPath, carriedPaths } from './carried-paths.ts';
import type { FactReader } from './wire-facts.ts';

const places: ReadonlyMap<string, number> = new Map(carriedPaths.map((path, place) => [path, place]));

export function isCarried(path: string): boolean {
  return places.has(path);
}

/** Reads the fact as of the last login of the event's session. */
export function carriedReader(path: CarriedPath): FactReader {
  const place = places.get(path)!;
  return ({ session }) => session.after?.carried?.[place];
}
