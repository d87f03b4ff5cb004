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

/** A part of a condition, checked and ready to run. Running allocates nothing except its values. */
export interface Compiled {
  readonly type: Type;
  /** The value, or `undefined` if it is missing. Never throws. */
  readonly run: Run;
  /** It reads no fact, so the value is already known. */
  readonly constant: boolean;
  /** The digits of a number literal, so that a decimal can use them exactly. */
  readonly digits?: string;
  /** Set if it is exactly this fact. */
  readonly slot?: number;
  /** The items of a list literal, each compiled separately: a missing item does not make the others missing. */
  readonly items?: readonly Compiled[];
  /** The values of these items, if all of them are constants. */
  readonly known?: ReadonlySet<Value>;
  /** The items of a list of addresses, which is also searched by ranges. */
  readonly networks?: NetworkSet;
  /** The list is declared, and its items are looked up by their texts. */
  readonly declared?: DeclaredList;
  /** Its structure, if it is composed of conditions. */
  readonly logic?: { readonly operator: Logic | '!'; readonly parts: readonly Compiled[] };
  /** The range of a number, if it is known. */
  readonly range?: NumberRange;
  /** The values that it requires of facts. */
  readonly demands?: readonly Demand[];
  /** The most values that a list or a map contains, including nested ones; 0 for any other value. */
  readonly size: number;
  /** The most UTF-16 units of a text, or bytes, in it or in each nested value. */
  readonly length: number;
  /** It is, or contains, a text that is in no event and no policy: looking it up first computes its hash. */
  readonly isBuilt?: boolean;
  /** The most expensive function call in it. */
  readonly dearest?: Dear;
  /** Every fact that it reads, at least once. */
  readonly reads: readonly string[];
  /** Those without which it is always missing; not those tested by `has` and `orValue`. */
  readonly needs: readonly string[];
  /** Values in it that are cached for later readers; each is included in the cost, wherever it occurs. */
  readonly kept?: readonly KeptValue[];
  /** An upper bound of the work of one run, in steps of about 10 ns. */
  readonly cost: number;
}

/** A part whose value is cached: how often its cost arises depends on its other readers. */
export interface KeptValue {
  /** Paths of the facts that it depends on. */
  readonly reads: readonly string[];
  /** Steps to compute it, including everything that is cached inside it. */
  readonly cost: number;
  /** Steps to read it from the cache. */
  readonly costAgain: number;
  /** What is cached inside it. */
  readonly inner: readonly KeptValue[];
}

/** A function, and the cost of one call of it. */
export interface Dear {
  readonly name: string;
  readonly cost: number;
}

/** A name that a condition may use. */
export interface Name {
  readonly path: string;
  readonly type: FactType;
  /** Kinds of event on which it can be present. */
  readonly on: ReadonlySet<EventKind>;
  readonly values?: readonly string[];
  readonly range?: NumberRange;
  /** The most UTF-16 units of a text in it. If absent: the longest text that functions process. */
  readonly lengthMax?: number;
  /** For a profile: the name of its standard deviation. */
  readonly deviation?: string;
  /** For a feature whose values are amounts of money: the fact that has their currency. */
  readonly currency?: string;
}

/** Where the engine puts the items of a live list, which change without a new policy, and how many there may be. */
export interface LivePlace {
  readonly slot: number;
  readonly max: number;
}

/** A list that the policy declares. */
export interface DeclaredList {
  readonly name: string;
  readonly type: FactType;
  /** For pairs: their texts. */
  readonly items: ReadonlySet<FactValue>;
  /** The same items, if they are IP addresses and ranges. */
  readonly networks?: NetworkSet;
  /** Paths of the facts whose values it lists: one, or two for pairs. */
  readonly of: readonly string[];
  readonly description: string | undefined;
  /** Set if its items can also change without a new policy. */
  readonly live: LivePlace | undefined;
}

/** The meaning of names in the scope of a condition. */
export interface Vocabulary {
  readonly find: (path: string) => Name | undefined;
  /** Every path that could have been meant, for suggestions. */
  readonly paths: () => Iterable<string>;
  /** Why a name that exists elsewhere can't be used here. */
  readonly refuses: (path: string) => string | undefined;
  /** Declared with a mistake, which was reported there and is not repeated at each use. */
  readonly broken: (name: string) => boolean;
  readonly slotOf: (path: string) => number;
  readonly list: (name: string) => DeclaredList | undefined;
  readonly listNames: () => Iterable<string>;
}

/** What a loop binds a name to. */
export interface Bound {
  /** The current item. */
  readonly item: Compiled;
  /** Makes a part that is the same for all items compute once. */
  readonly hoist: (part: Compiled) => Compiled;
}

/** What is needed to compile a part of a condition. */
export interface Context {
  readonly vocabulary: Vocabulary;
  readonly report: Report;
  /** Names bound by `list.exists(x, …)` and similar forms. */
  readonly locals: ReadonlyMap<string, Compiled>;
  /** `undefined` if it doesn't check; the mistake was reported. */
  readonly compile: (node: Expression) => Compiled | undefined;
  /** The same with one more name bound, to the item of a loop. */
  readonly bind: (name: string, loop: Bound) => Context;
}

/** The same for an expression that is compiled while a condition runs, when mistakes can no longer be reported. */
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

/** What an operation adds to the properties of its parts. */
export interface Made {
  readonly run: Run;
  readonly cost?: number;
  readonly size?: number;
  /** Default: the longest of the parts, because most operations build no text. */
  readonly length?: number;
  /** It builds a text. */
  readonly isBuilt?: boolean;
  /** The function that it calls. */
  readonly name?: string;
}

/** An operation on parts: it reads what they read, and is folded into a constant if they all are constants. */
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

/** Names the call that makes a condition too expensive, if there is one. */
export function dearText({ dearest }: Compiled): string {
  return dearest === undefined || dearest.cost < dearMin
    ? ''
    : `, ${dearest.cost} of them for each call of ${dearest.name}`;
}

/** Cheaper calls are expensive only by their number. */
const dearMin = 100;
