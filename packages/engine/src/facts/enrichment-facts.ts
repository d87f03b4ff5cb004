import type { FactValue } from '@ringfence/policy';
import type { EventContext } from './event-context.ts';
import { carriedReader, isCarried } from './carried-facts.ts';
import { type CarriedFacts, type CarriedPath, carriedPaths } from './carried-paths.ts';
import { knownDeviceFacts, loginFacts } from './login-facts.ts';
import type { FactReader } from './wire-facts.ts';

/** Facts that identify the device of a token; a replayed token identifies none. */
const naming: ReadonlySet<string> = new Set(['device.key', 'device.idFresh', 'device.unprovedId']);

function stateOf({ arrival, tokenRepeats }: EventContext): FactValue {
  const state = arrival.record.enrichment.facts['device.state'];
  return tokenRepeats && state === 'present' ? 'replayed' : state;
}

/** Reader of a fact that depends on what the engine remembers; `undefined` for other paths. */
export function familiarReader(path: string): FactReader | undefined {
  return path in loginFacts || path in knownDeviceFacts ? enrichmentReader(path) : undefined;
}

/** Reader of a fact of the event itself. */
function ownReader(path: string): FactReader {
  if (path === 'device.state') return stateOf;
  if (naming.has(path))
    return ({ arrival, tokenRepeats }) => (tokenRepeats ? undefined : arrival.record.enrichment.facts[path]);
  return loginFacts[path] ?? (({ arrival }) => arrival.record.enrichment.facts[path]);
}

/** Reader of a fact about a device or a place: a login or logout has its own, an operation that of its session. */
export function enrichmentReader(path: string): FactReader {
  const known = knownDeviceFacts[path];
  if (known !== undefined) return known;
  const own = ownReader(path);
  if (!isCarried(path)) return own;
  const carried = carriedReader(path as CarriedPath);
  return (context) => (context.event.kind === 'operation' ? carried(context) : own(context));
}

/** Carried facts, in two lists: those that the engine computes, and those copied from the enrichment unchanged. */
const knownCarried: readonly { readonly place: number; readonly read: FactReader }[] = carriedPaths.flatMap(
  (path, place) => {
    const read = knownDeviceFacts[path] ?? loginFacts[path] ?? (path === 'device.state' ? stateOf : undefined);
    return read === undefined ? [] : [{ place, read }];
  },
);
const shownCarried: ReadonlyMap<string, number> = new Map(
  carriedPaths.flatMap((path, place) => (knownCarried.some((known) => known.place === place) ? [] : [[path, place]])),
);
const nothingCarried: CarriedFacts = carriedPaths.map(() => undefined);

/** What the session of a login carries from now on; `undefined` if nothing. */
export function carriedFrom(context: EventContext): CarriedFacts | undefined {
  let carried: CarriedFacts[number][] | undefined;
  const { facts } = context.arrival.record.enrichment;
  // A login has few facts, so looping over these is faster.
  for (const path in facts) {
    const place = shownCarried.get(path);
    if (place !== undefined) (carried ??= nothingCarried.slice())[place] = facts[path];
  }
  for (const { place, read } of knownCarried) {
    const value = read(context) as CarriedFacts[number];
    if (value !== undefined) (carried ??= nothingCarried.slice())[place] = value;
  }
  return carried;
}
