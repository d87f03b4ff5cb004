import type { CallNode } from '../../expression/node.ts';
import type { Compiled, Context } from '../compiled.ts';
import type { Type } from '../type.ts';
import type { NumberRange } from '../../facts/number-range.ts';
import type { Value } from '../value.ts';

/** What functions are about; the reference page has a table for each. */
export type FunctionGroup =
  | 'absence'
  | 'text'
  | 'lists and maps'
  | 'time'
  | 'numbers'
  | 'conversion'
  | 'features'
  | 'names'
  | 'places'
  | 'addresses'
  | 'messages';

interface Documented {
  readonly name: string;
  readonly group: FunctionGroup;
  /** As people read it: `string.contains(string): bool`. */
  readonly signature: string;
  /** Whether it stands behind a value and a dot. */
  readonly isMethod: boolean;
  /** One or more sentences for the analyst, exact about bounds and about what is missing. */
  readonly doc: string;
  /** A condition, or a value. */
  readonly example: string;
}

/** Fits every list, every map, or every value. */
export type ParameterType = Type | 'list' | 'map' | 'any';

/** A function of values. With a missing argument it is missing. */
export interface FunctionDefinition extends Documented {
  readonly kind: 'function';
  /** The type it is a method of comes first. */
  readonly params: readonly ParameterType[];
  readonly result: Type;
  /** Steps of about 10 ns that a call may take, at most. */
  readonly cost: Cost;
  /** At most how many UTF-16 units a text that it answers has; where nothing is said, no more than the longest argument. */
  readonly length?: (...args: readonly Extent[]) => number;
  /** Of its values the answer; `undefined` is missing. A function of the values alone, on every machine the same. */
  readonly apply: (...values: never[]) => Value;
  /** When its last argument is a literal, that is looked at once, when the policy is checked. */
  readonly prepare?: (literal: string) => Prepared | Wrong;
  /** Nothing but a literal will do there. */
  readonly isLiteral?: true;
  /** How many values a list that it answers holds, at most. */
  readonly size?: number;
  /** All numbers that it answers, where they are few. */
  readonly range?: NumberRange;
  /** A fact that is its last argument though nobody writes it down. */
  readonly implicit?: string;
}

/** How much an argument can hold. */
export type Extent = Pick<Compiled, 'size' | 'length'>;

/** A number where the work is the same whatever the values are, else of how much they can hold. */
export type Cost = number | ((...args: readonly Extent[]) => number);

/** What a call of these arguments costs. */
export function costOfCall(cost: Cost, args: readonly Extent[]): number {
  return typeof cost === 'number' ? cost : Math.ceil(cost(...args));
}

/** The function of the remaining values. */
export interface Prepared {
  readonly apply: (...values: never[]) => Value;
  readonly cost: Cost;
  /** It comes out the same for every value: what to warn of. */
  readonly idle?: { readonly message: string; readonly suggestion: string };
}

export interface Wrong {
  readonly wrong: string;
  readonly suggestion: string;
}

/** A form that looks at its arguments themselves, not only at their values: `has(x)`, `list.exists(x, …)`. */
export interface FormDefinition extends Documented {
  readonly kind: 'form';
  readonly compile: (node: CallNode, context: Context) => Compiled | undefined;
}

export type Definition = FunctionDefinition | FormDefinition;

type Shape = Pick<FunctionDefinition, 'name' | 'signature' | 'isMethod' | 'params' | 'result'>;

/** Reads `string.contains(string): bool` and `int(string): int`. */
function shape(signature: string): Shape {
  const [, receiver, name = '', inner = '', result = ''] =
    /^(?:([\w<>]+)\.)?(\w+)\((.*)\): ([\w<>]+)$/.exec(signature) ?? [];
  const params = inner === '' ? [] : inner.split(', ').map((param) => param.replace(/^\w+: /, ''));
  const all = (receiver === undefined ? params : [receiver, ...params]) as ParameterType[];
  return { name, signature, isMethod: receiver !== undefined, params: all, result: result as Type };
}

type Details = Pick<FunctionDefinition, 'doc' | 'example' | 'apply'> &
  Partial<Pick<FunctionDefinition, 'cost' | 'length' | 'prepare' | 'isLiteral' | 'size' | 'range'>>;

/** A function of a group, by its signature. Parameters may have names: `distance(latitude: double, …): double`. */
export function definer(group: FunctionGroup): (signature: string, details: Details) => FunctionDefinition {
  return (signature, details) => ({ kind: 'function', group, ...shape(signature), cost: 3, ...details });
}

/** Never called: its literal was prepared when the policy was checked. */
export const prepared = (): undefined => undefined;
