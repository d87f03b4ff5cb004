import type { EventKind } from '@ringfence/contract';
import type { Expression, Logic } from '../expression/node.ts';
import type { Report } from '../check/mistake.ts';
import type { NetworkSet } from '../values/networks.ts';
import type { NumberRange } from '../facts/number-range.ts';
import type { Facts, FactType, FactValue } from '../facts/fact-value.ts';
import { foldedCostMax } from './bounds.ts';
import type { Demand } from './rule-index-key.ts';
import type { Type } from './type.ts';
import { Dynamic, type Value } from './value.ts';

export type Run = (facts: Facts) => Value;

/** A part of a condition, checked and ready to run. Running costs no allocation but what its values need. */
export interface Compiled {
  readonly type: Type;
  /** The value, or `undefined` when it is missing. Never throws. */
  readonly run: Run;
  /** It reads no fact: the value is known now. */
  readonly constant: boolean;
  /** The digits of a number literal, so that a decimal can take them exactly. */
  readonly digits?: string;
  /** It is just this fact. */
  readonly slot?: number;
  /** The items of a list that was written down, each on its own: one that is missing does not spoil the others. */
  readonly items?: readonly Compiled[];
  /** The values of these items when all of them are known now. */
  readonly known?: ReadonlySet<Value>;
  /** The items of a list of addresses, in which ranges are looked up too. */
  readonly networks?: NetworkSet;
  /** The list is declared, and its items are looked up by their texts. */
  readonly declared?: DeclaredList;
  /** How it is put together, where that is of conditions. */
  readonly logic?: { readonly operator: Logic | '!'; readonly parts: readonly Compiled[] };
  /** What a number can be, where that is known. */
  readonly range?: NumberRange;
  /** What it demands of facts. */
  readonly demands?: readonly Demand[];
  /** At most how many values a list or a map holds, those inside of these counted; 0 of any other value. */
  readonly size: number;
  /** At most how many UTF-16 units a text or how many bytes it has, or each of those inside of it. */
  readonly length: number;
  /** It is, or holds, a text that no event and no policy holds: looking it up begins with computing its hash. */
  readonly isBuilt?: boolean;
  /** The function in it that costs most by itself. */
  readonly dearest?: Dear;
  /** Every fact that it reads, once or more. */
  readonly reads: readonly string[];
  /** Those of them without which it is always missing; not those that `has` and `orValue` ask about. */
  readonly needs: readonly string[];
  /** Values in it that are kept for whoever asks for them next; each is counted in the cost, wherever it stands. */
  readonly kept?: readonly KeptValue[];
  /** An upper bound of the work of one run, in steps of about 10 ns. */
  readonly cost: number;
}

/** A part whose value is kept: how often its cost arises depends on who else has asked for it. */
export interface KeptValue {
  /** Paths of the facts that it is a function of. */
  readonly reads: readonly string[];
  /** Steps of computing it, all that is kept inside of it computed anew. */
  readonly cost: number;
  /** Steps of asking for it once more. */
  readonly costAgain: number;
  /** What is kept inside of it. */
  readonly inner: readonly KeptValue[];
}

/** A function, and what one call of it costs. */
export interface Dear {
  readonly name: string;
  readonly cost: number;
}

/** A name that a condition may use. */
export interface Name {
  readonly path: string;
  readonly type: FactType;
  /** Kinds of event on which it can be there. */
  readonly on: ReadonlySet<EventKind>;
  readonly values?: readonly string[];
  readonly range?: NumberRange;
  /** At most how many UTF-16 units a text in it has. Where it does not say, the most that functions work on. */
  readonly lengthMax?: number;
  /** Of a profile: the name of its standard deviation. */
  readonly deviation?: string;
}

/** Where the engine puts the items of a list that come and go while the policy stays, and how many there may be. */
export interface LivePlace {
  readonly slot: number;
  readonly max: number;
}

/** A list that the policy declares. */
export interface DeclaredList {
  readonly name: string;
  readonly type: FactType;
  /** Of pairs, their texts. */
  readonly items: ReadonlySet<FactValue>;
  /** The same items, when they are internet addresses and ranges of these. */
  readonly networks?: NetworkSet;
  /** Paths of the facts whose values it lists: one, or two for pairs. */
  readonly of: readonly string[];
  readonly description: string | undefined;
  /** Its items also come and go while the policy stays. */
  readonly live: LivePlace | undefined;
}

/** What names mean where a condition stands. */
export interface Vocabulary {
  readonly find: (path: string) => Name | undefined;
  /** Every path that could have been meant, for suggestions. */
  readonly paths: () => Iterable<string>;
  /** Why a name that exists elsewhere can't be used here. */
  readonly refuses: (path: string) => string | undefined;
  /** Declared, but not well: what is wrong with it was reported there, and is not repeated wherever it is used. */
  readonly broken: (name: string) => boolean;
  readonly slotOf: (path: string) => number;
  readonly list: (name: string) => DeclaredList | undefined;
  readonly listNames: () => Iterable<string>;
}

/** What a loop binds a name to. */
export interface Bound {
  /** The item that is looked at. */
  readonly item: Compiled;
  /** Makes a part that is the same for all items be computed once. */
  readonly hoist: (part: Compiled) => Compiled;
}

/** What compiling a part of a condition needs to know. */
export interface Context {
  readonly vocabulary: Vocabulary;
  readonly report: Report;
  /** Names bound by `list.exists(x, …)` and its like. */
  readonly locals: ReadonlyMap<string, Compiled>;
  /** `undefined` when it doesn't check; what is wrong was reported. */
  readonly compile: (node: Expression) => Compiled | undefined;
  /** The same with one more name bound, to the item of a loop. */
  readonly bind: (name: string, loop: Bound) => Context;
}

/** The same for something that is compiled while a condition runs, when it is too late to complain. */
export function silent(context: Context): Context {
  return { ...context, report: () => undefined };
}

/** A value known at check time. */
export function constant(type: Type, value: Value, details?: { digits?: string; size?: number }): Compiled {
  const run = (): Value => value;
  return { type, run, constant: true, size: 0, length: lengthOf(value), reads: [], needs: [], cost: 1, ...details };
}

/** The longest text or bytes in a value. */
function lengthOf(value: Value): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  if (value instanceof Dynamic) return lengthOf(value.value);
  if (value instanceof Map) return Math.max(lengthOf([...value.keys()]), lengthOf([...value.values()]));
  return Array.isArray(value) ? value.reduce<number>((most, item: Value) => Math.max(most, lengthOf(item)), 0) : 0;
}

/** What an operation adds to its parts. */
export interface Made {
  readonly run: Run;
  readonly cost?: number;
  readonly size?: number;
  /** Where nothing is said, the longest of the parts: most operations build no text. */
  readonly length?: number;
  /** It builds a text. */
  readonly isBuilt?: boolean;
  /** The function that it is. */
  readonly name?: string;
}

/** Something computed from parts: it reads what they read, and is folded into a constant when they all are. */
export function combine(type: Type, parts: readonly Compiled[], made: Made): Compiled {
  const { run, cost = 1, size = 0, length = parts.reduce((most, part) => Math.max(most, part.length), 0) } = made;
  const total = parts.reduce((sum, part) => sum + part.cost, cost);
  if (total <= foldedCostMax && parts.every((part) => part.constant)) return constant(type, run([]), { size });
  return {
    type,
    run,
    constant: false,
    size,
    length,
    isBuilt: made.isBuilt === true || parts.some((part) => part.isBuilt === true),
    ...dearestOf(parts, made),
    reads: parts.flatMap((part) => part.reads),
    needs: parts.flatMap((part) => part.needs),
    ...keptIn(parts),
    cost: total,
  };
}

function keptIn(parts: readonly Compiled[]): { readonly kept?: readonly KeptValue[] } {
  const kept = parts.flatMap((part) => part.kept ?? []);
  return kept.length === 0 ? {} : { kept };
}

function dearestOf(parts: readonly Compiled[], { name, cost = 0 }: Made): { readonly dearest?: Dear } {
  const calls = [name === undefined ? undefined : { name, cost }, ...parts.map((part) => part.dearest)];
  const dearest = calls.reduce(
    (most, one) => (one !== undefined && one.cost > (most?.cost ?? 0) ? one : most),
    undefined,
  );
  return dearest === undefined ? {} : { dearest };
}

/** Where a call costs enough to be why a condition is too dear: what to say of it. */
export function dearText({ dearest }: Compiled): string {
  return dearest === undefined || dearest.cost < dearMin
    ? ''
    : `, ${dearest.cost} of them for ${dearest.name} alone, each time`;
}

/** Cheaper calls are dear by their number only. */
const dearMin = 100;
