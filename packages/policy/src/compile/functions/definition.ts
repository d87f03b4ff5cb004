import type { CallNode } from '../../expression/node.ts';
import type { Compiled, Context } from '../compiled.ts';
import type { Type } from '../type.ts';
import type { NumberRange } from '../../facts/number-range.ts';
import type { Value } from '../value.ts';

/** The subjects of functions; the reference page has a table for each. */
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
  /** For people: `string.contains(string): bool`. */
  readonly signature: string;
  /** Whether it is called on a value, after a dot. */
  readonly isMethod: boolean;
  /** One or more sentences for the analyst, exact about bounds and about when the result is missing. */
  readonly doc: string;
  /** An example: a condition, or a value. */
  readonly example: string;
}

/** Accepts every list, every map, or every value. */
export type ParameterType = Type | 'list' | 'map' | 'any';

/** A function of values. If an argument is missing, so is the result. */
export interface FunctionDefinition extends Documented {
  readonly kind: 'function';
  /** Of a method: the type that it is called on comes first. */
  readonly params: readonly ParameterType[];
  readonly result: Type;
  /** The most steps of about 10 ns that a call costs. */
  readonly cost: Cost;
  /** The most UTF-16 units of a text that it returns; by default, no more than the longest argument. */
  readonly length?: (...args: readonly Extent[]) => number;
  /** Computes the result; `undefined` is missing. Depends on the values alone, and is the same on every machine. */
  readonly apply: (...values: never[]) => Value;
  /** If its last argument is a literal, this prepares it once, when the policy is checked. */
  readonly prepare?: (literal: string) => Prepared | Wrong;
  /** How many characters of the text it looks at. An author is warned of a text that can be longer. */
  readonly looksAt?: number;
  /** Only a literal is accepted there. */
  readonly isLiteral?: true;
  /** The most values of a list that it returns. */
  readonly size?: number;
  /** All numbers that it can return, if there are few. */
  readonly range?: NumberRange;
  /** A fact that is an implicit last argument. */
  readonly implicit?: string;
}

/** The maximum size of an argument. */
export type Extent = Pick<Compiled, 'size' | 'length'>;

/** A number if the work is the same for all values; otherwise it depends on their maximum size. */
export type Cost = number | ((...args: readonly Extent[]) => number);

/** The cost of a call with these arguments. */
export function costOfCall(cost: Cost, args: readonly Extent[]): number {
  return typeof cost === 'number' ? cost : Math.ceil(cost(...args));
}

/** The function of the remaining values. */
export interface Prepared {
  readonly apply: (...values: never[]) => Value;
  readonly cost: Cost;
  /** What the author is warned of, such as a result that is the same for every value. */
  readonly warning?: { readonly message: string; readonly suggestion: string };
}

export interface Wrong {
  readonly wrong: string;
  readonly suggestion: string;
}

/** A form that inspects its arguments as expressions, not only their values: `has(x)`, `list.exists(x, …)`. */
export interface FormDefinition extends Documented {
  readonly kind: 'form';
  readonly compile: (node: CallNode, context: Context) => Compiled | undefined;
}

export type Definition = FunctionDefinition | FormDefinition;

type Shape = Pick<FunctionDefinition, 'name' | 'signature' | 'isMethod' | 'params' | 'result'>;

/** Parses `string.contains(string): bool` and `int(string): int`. */
function shape(signature: string): Shape {
  const [, receiver, name = '', inner = '', result = ''] =
    /^(?:([\w<>]+)\.)?(\w+)\((.*)\): ([\w<>]+)$/.exec(signature) ?? [];
  const params = inner === '' ? [] : inner.split(', ').map((param) => param.replace(/^\w+: /, ''));
  const all = (receiver === undefined ? params : [receiver, ...params]) as ParameterType[];
  return { name, signature, isMethod: receiver !== undefined, params: all, result: result as Type };
}

type Details = Pick<FunctionDefinition, 'doc' | 'example' | 'apply'> &
  Partial<Pick<FunctionDefinition, 'cost' | 'length' | 'prepare' | 'looksAt' | 'isLiteral' | 'size' | 'range'>>;

/** A function of a group, by its signature. Parameters may have names: `distance(latitude: double, …): double`. */
export function definer(group: FunctionGroup): (signature: string, details: Details) => FunctionDefinition {
  return (signature, details) => ({ kind: 'function', group, ...shape(signature), cost: 3, ...details });
}

/** Never called: its literal was prepared when the policy was checked. */
export const prepared = (): undefined => undefined;
