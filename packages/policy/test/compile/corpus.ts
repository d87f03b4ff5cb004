import { tests } from '@bufbuild/cel-spec/testdata/conformance.js';
import { Compiler } from '../../src/compile/compile.ts';
import type { Name, Vocabulary } from '../../src/compile/compiled.ts';
import { parseExpression } from '../../src/expression/parse.ts';
import type { FactType, FactValue } from '../../src/policy.ts';
import { SlotTable } from '../../src/slots.ts';

/** An expression of CEL's conformance corpus with a plain value, or an error. */
export interface Vector {
  /** `suite/section/test`. */
  readonly name: string;
  readonly expression: string;
  /** A literal that it is equal to; `undefined`: it is an error. */
  readonly value: string | undefined;
  readonly bindings: Readonly<Record<string, FactValue>>;
}

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly {
    readonly original: Readonly<Record<string, unknown>> & { readonly name?: string; readonly expr: string };
  }[];
}

type Scalar = {
  readonly boolValue?: boolean;
  readonly int64Value?: string;
  readonly doubleValue?: unknown;
  readonly stringValue?: string;
};

/** All vectors that have a value of a type that conditions have, or an error, and that need no types or containers of protocol buffers. */
export function vectors(suite: Suite = tests, path = ''): readonly Vector[] {
  const below = (suite.suites ?? []).flatMap((inner) => vectors(inner, `${path}${inner.name}/`));
  const here = (suite.tests ?? []).flatMap(({ original }) => {
    const { name = original.expr, expr, value, evalError, bindings, container } = original;
    const literal = literalOf(value as Scalar | undefined);
    const bound = bindingsOf(bindings as Readonly<Record<string, { readonly value?: Scalar }>> | undefined);
    if (container !== undefined || bound === undefined || (literal === undefined && evalError === undefined)) return [];
    return [{ name: `${path}${name}`, expression: expr, value: literal, bindings: bound }];
  });
  return [...below, ...here];
}

function literalOf(value: Scalar | undefined): string | undefined {
  if (value?.boolValue !== undefined) return String(value.boolValue);
  if (value?.stringValue !== undefined) return JSON.stringify(value.stringValue);
  if (value?.int64Value !== undefined) return value.int64Value;
  if (typeof value?.doubleValue !== 'number') return undefined;
  return Number.isInteger(value.doubleValue) ? value.doubleValue.toFixed(1) : String(value.doubleValue);
}

/** `undefined` when a variable has a value of no type of ours. */
function bindingsOf(
  bindings: Readonly<Record<string, { readonly value?: Scalar }>> = {},
): Vector['bindings'] | undefined {
  const bound: Record<string, FactValue> = {};
  for (const [name, { value = {} }] of Object.entries(bindings)) {
    const { boolValue, stringValue, int64Value, doubleValue } = value;
    const known = boolValue ?? stringValue ?? (int64Value === undefined ? doubleValue : Number(int64Value));
    if (typeof known !== 'boolean' && typeof known !== 'string' && typeof known !== 'number') return undefined;
    bound[name] = known;
  }
  return bound;
}

export type Verdict = 'agrees' | 'refused' | 'differs';

/** What our compiler makes of a vector. A refusal is safe: nobody gets an outcome that CEL would not give. */
export function verdict({ expression, value, bindings }: Vector): Verdict {
  const slots = new SlotTable();
  const text = `(${expression}\n) == (${value ?? expression}\n)`;
  const node = parseExpression(text, () => undefined);
  const compiled =
    node === undefined ? undefined : new Compiler(vocabularyOf(bindings, slots)).condition(node, () => undefined);
  if (compiled === undefined) return 'refused';
  const facts = Array.from({ length: slots.count }, (): FactValue => undefined);
  for (const [name, bound] of Object.entries(bindings)) facts[slots.use(name)] = bound;
  return compiled.run(facts) === (value === undefined ? undefined : true) ? 'agrees' : 'differs';
}

function vocabularyOf(bindings: Vector['bindings'], slots: SlotTable): Vocabulary {
  const names = new Map(
    Object.entries(bindings).map(([path, value]): [string, Name] => [
      path,
      { path, type: typeOf(value), on: new Set(['login']) },
    ]),
  );
  return {
    find: (path) => names.get(path),
    paths: () => names.keys(),
    refuses: () => undefined,
    broken: () => false,
    slotOf: slots.use,
    list: () => undefined,
    listNames: () => [],
  };
}

function typeOf(value: FactValue): FactType {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return Number.isInteger(value) ? 'int' : 'double';
}
