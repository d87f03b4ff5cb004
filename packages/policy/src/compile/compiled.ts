import type { EventKind } from '@ringfence/contract';
import type { Expression } from '../expression/node.ts';
import type { Report } from '../mistake.ts';
import type { Facts, FactType, FactValue } from '../policy.ts';

export type Run = (facts: Facts) => FactValue;

/** A part of a condition, checked and ready to run. Running costs no allocation but what its values need. */
export interface Compiled {
  readonly type: FactType;
  /** The value, or `undefined` when it is missing. Never throws. */
  readonly run: Run;
  /** It reads no fact: the value is known now. */
  readonly constant: boolean;
  /** The digits of a number literal, so that a decimal can take them exactly. */
  readonly digits?: string;
  /** It is just this fact. */
  readonly slot?: number;
  /** Every fact that it reads, once or more. */
  readonly reads: readonly string[];
  /** Those of them without which it is always missing; not those that `has` and `orValue` ask about. */
  readonly needs: readonly string[];
  /** An upper bound of the work of one run, in steps of about 10 ns. */
  readonly cost: number;
}

/** A name that a condition may use. */
export interface Name {
  readonly path: string;
  readonly type: FactType;
  /** Kinds of event on which it can be there. */
  readonly on: ReadonlySet<EventKind>;
  readonly values?: readonly string[];
}

/** A list that the policy declares. */
export interface DeclaredList {
  readonly name: string;
  readonly type: FactType;
  readonly items: ReadonlySet<FactValue>;
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

/** What compiling a part of a condition needs to know. */
export interface Context {
  readonly vocabulary: Vocabulary;
  readonly report: Report;
  /** Names bound by `list.exists(x, …)` and its like. */
  readonly locals: ReadonlyMap<string, Compiled>;
  /** `undefined` when it doesn't check; what is wrong was reported. */
  readonly compile: (node: Expression) => Compiled | undefined;
  /** The same with one more name bound. */
  readonly bind: (name: string, value: Compiled) => Context;
}

/** A value known at check time. */
export function constant(type: FactType, value: FactValue, digits?: string): Compiled {
  const base = { type, run: () => value, constant: true, reads: [], needs: [], cost: 1 };
  return digits === undefined ? base : { ...base, digits };
}

/** Something computed from parts: it reads what they read, and is folded into a constant when they all are. */
export function combine(
  type: FactType,
  parts: readonly Compiled[],
  made: { readonly run: Run; readonly cost?: number },
): Compiled {
  if (parts.every((part) => part.constant)) return constant(type, made.run([]));
  return {
    type,
    run: made.run,
    constant: false,
    reads: parts.flatMap((part) => part.reads),
    needs: parts.flatMap((part) => part.needs),
    cost: parts.reduce((sum, part) => sum + part.cost, made.cost ?? 1),
  };
}

/** How a type is called in messages. */
export function typeName(type: FactType): string {
  return type === 'bool' ? 'true or false' : type === 'int' ? 'whole number' : type === 'map' ? 'map' : type;
}

/** "a string", "an int" … */
export function aType(type: FactType): string {
  return type === 'bool' ? 'true or false' : `a ${typeName(type)}`;
}
