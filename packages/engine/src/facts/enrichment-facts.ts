import type { FactValue } from '@ringfence/policy';
import type { EventContext } from './event-context.ts';
import { carriedReader, isCarried } from './carried-facts.ts';
import { type CarriedFacts, type CarriedPath, carriedPaths } from './carried-paths.ts';
import { knownDeviceFacts, loginFacts } from './login-facts.ts';
import type { FactReader } from './wire-facts.ts';

/** What names the device of a token: a token that was used before names none. */
const naming: ReadonlySet<string> = new Set(['device.key', 'device.idFresh', 'device.unprovedId']);

function stateOf({ arrival, tokenRepeats }: EventContext): FactValue {
  const state = arrival.record.door.facts['device.state'];
  return tokenRepeats && state === 'present' ? 'replayed' : state;
}

/** Of what the engine remembers; `undefined` for a path that is none of it. */
export function familiarReader(path: string): FactReader | undefined {
  return path in loginFacts || path in knownDeviceFacts ? doorReader(path) : undefined;
}

/** Of the event itself. */
function ownReader(path: string): FactReader {
  if (path === 'device.state') return stateOf;
  if (naming.has(path))
    return ({ arrival, tokenRepeats }) => (tokenRepeats ? undefined : arrival.record.door.facts[path]);
  return loginFacts[path] ?? (({ arrival }) => arrival.record.door.facts[path]);
}

/** Gives a fact of a device or a place: of a login and logout their own, of an operation what its session carries. */
export function doorReader(path: string): FactReader {
  const known = knownDeviceFacts[path];
  if (known !== undefined) return known;
  const own = ownReader(path);
  if (!isCarried(path)) return own;
  const carried = carriedReader(path as CarriedPath);
  return (context) => (context.event.kind === 'operation' ? carried(context) : own(context));
}

/** Facts that a session carries: those that the engine knows or has a say in, and those that are as the door shows them. */
const knownCarried: { readonly place: number; readonly read: FactReader }[] = [];
const shownCarried = new Map<string, number>();
for (const [place, path] of carriedPaths.entries()) {
  const read = knownDeviceFacts[path] ?? loginFacts[path] ?? (path === 'device.state' ? stateOf : undefined);
  if (read === undefined) shownCarried.set(path, place);
  else knownCarried.push({ place, read });
}
const nothingCarried: CarriedFacts = carriedPaths.map(() => undefined);

/** What the session of a login carries from now on; `undefined` for nothing. */
export function carriedFrom(context: EventContext): CarriedFacts | undefined {
  let carried: CarriedFacts[number][] | undefined;
  const { facts } = context.arrival.record.door;
  // A login shows few facts, so that it is quicker to go through these.
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
