import { Compiler } from '../../src/compile/compile.ts';
import type { Compiled, Name, Vocabulary } from '../../src/compile/compiled.ts';
import { parseExpression } from '../../src/expression/parse.ts';
import type { FactType, FactValue } from '../../src/facts/fact-value.ts';
import { SlotTable } from '../../src/facts/slots.ts';
import { print, typeOf, valueOf } from './corpus-value.ts';
import type { Vector } from './vectors.ts';

/** What our compiler makes of a vector: nothing to say against it, or what differs. */
export function differenceOf(vector: Vector): string | undefined {
  const { value, deducedType, isError } = vector;
  const { compiled, outcome, mistakes } = run(vector);
  // An error that is found before the condition runs is found.
  if (isError) return compiled === undefined || outcome === 'missing' ? undefined : `${outcome} instead of an error`;
  if (compiled === undefined) return `refused: ${mistakes.join('; ')}`;
  const expectedType = deducedType === undefined ? undefined : typeOf(deducedType);
  const type = openly(compiled.type);
  if (expectedType !== undefined && type !== expectedType) return `of type ${type} instead of ${expectedType}`;
  if (value === undefined) return undefined;
  const wanted = valueOf(value);
  const expected = print(wanted.type, wanted.value);
  return outcome === expected ? undefined : `${outcome} instead of ${expected}`;
}

/** What a list without items holds is anything to CEL's checker. */
function openly(type: string): string {
  return type.replaceAll('none', 'dyn');
}

interface Ran {
  readonly compiled: Compiled | undefined;
  readonly outcome: string;
  readonly mistakes: readonly string[];
}

function run({ expression, bindings, typeEnv }: Vector): Ran {
  const slots = new SlotTable();
  const mistakes: string[] = [];
  const report = ({ message, severity }: { readonly message: string; readonly severity?: string }): void => {
    if (severity !== 'warning') mistakes.push(message);
  };
  const values = new Map(Object.entries(bindings).map(([name, { value }]) => [name, valueOf(value)] as const));
  const declared = typeEnv.flatMap(({ name, ident }): [string, string][] =>
    ident === undefined ? [] : [[name, typeOf(ident.type)]],
  );
  const types = new Map([...[...values].map(([name, { type }]): [string, string] => [name, type]), ...declared]);
  const node = parseExpression(expression, report);
  const compiled = node === undefined ? undefined : new Compiler(vocabularyOf(types, slots)).value(node, report);
  const facts = Array.from({ length: slots.count }, (): FactValue => undefined);
  for (const [name, { type, value }] of values) {
    const slot = slots.of(name);
    const isDynamic = types.get(name) === 'dyn';
    if (slot !== undefined) facts[slot] = (isDynamic ? valueOf(bindings[name]?.value) : value) as FactValue;
    if (!isDynamic && types.get(name) !== type) mistakes.push(`${name} is bound to a ${type}`);
  }
  return { compiled, outcome: compiled === undefined ? '' : print(compiled.type, compiled.run(facts)), mistakes };
}

/** The corpus binds values of every type; facts are of fewer, but the compiler does not care. */
function vocabularyOf(types: ReadonlyMap<string, string>, slots: SlotTable): Vocabulary {
  const names = new Map(
    [...types].map(([path, type]): [string, Name] => [path, { path, type: type as FactType, on: new Set(['login']) }]),
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
