import type { FactValue } from '@ringfence/policy';
import { type CarriedPath, carriedPaths } from './carried-paths.ts';
import type { EventContext } from './event-context.ts';

const places: ReadonlyMap<string, number> = new Map(carriedPaths.map((path, place) => [path, place]));

export function isCarried(path: string): boolean {
  return places.has(path);
}

/** The fact as it was at the last login of the event's session. */
export function carriedFact({ session }: EventContext, path: CarriedPath): FactValue {
  return session.after?.carried?.[places.get(path)!];
}
