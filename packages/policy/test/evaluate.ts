import { type Decimal, parseDecimal } from '@ringfence/contract';
import { Compiler } from '../src/compile/compile.ts';
import type { Compiled, DeclaredList, Name, Vocabulary } from '../src/compile/compiled.ts';
import { parseExpression } from '../src/expression/parse.ts';
import { factDefinition, factDefinitions } from '../src/facts/facts.ts';
import type { Mistake } from '../src/check/mistake.ts';
import type { Facts, FactValue } from '../src/facts/fact-value.ts';
import { SlotTable } from '../src/facts/slots.ts';

export type Given = Readonly<Record<string, FactValue>>;

/** Facts by path; omitted ones are missing. */
export interface Checked {
  readonly compiled: Compiled | undefined;
  readonly mistakes: readonly Mistake[];
  readonly run: (facts: Given) => FactValue;
  readonly slots: SlotTable;
}

const fixed = { description: undefined, live: undefined };
const lists = new Map<string, DeclaredList>([
  [
    'words',
    { name: 'words', of: ['transaction.description'], type: 'string', items: new Set(['gift', 'card']), ...fixed },
  ],
  [
    'amounts',
    {
      name: 'amounts',
      of: ['order.amount'],
      type: 'decimal',
      items: new Set([decimal('10'), decimal('99.99')]),
      ...fixed,
    },
  ],
  ['channels', { name: 'channels', of: ['channelId'], type: 'int', items: new Set([1, 2]), ...fixed }],
]);

export function decimal(text: string): Decimal {
  const value = parseDecimal(text, { integerDigits: 18, scale: 12 });
  if (value === undefined) throw new Error(`${text} is no decimal`);
  return value;
}

/** Two features in addition to the facts, as rules see them. */
const features: ReadonlyMap<string, Name> = new Map<string, Name>([
  ['count24h', { path: 'count24h', type: 'int', on: new Set(['operation']) }],
  ['avg30d', { path: 'avg30d', type: 'decimal', on: new Set(['operation']) }],
  [
    'clientAmountProfile',
    {
      path: 'clientAmountProfile',
      type: 'double',
      on: new Set(['operation']),
      deviation: 'clientAmountProfile.deviation',
    },
  ],
  [
    'clientAmountProfile.deviation',
    { path: 'clientAmountProfile.deviation', type: 'double', on: new Set(['operation']) },
  ],
  ['ratio', { path: 'ratio', type: 'double', on: new Set(['operation']) }],
]);

/** Checks a condition over all facts, the features and the lists above. */
export function check(text: string): Checked {
  const slots = new SlotTable();
  const mistakes: Mistake[] = [];
  const vocabulary: Vocabulary = {
    find: (path) => features.get(path) ?? factDefinition(path),
    paths: () => [...features.keys(), ...factDefinitions.map((fact) => fact.path)],
    refuses: () => undefined,
    broken: () => false,
    slotOf: slots.use,
    list: (name) => lists.get(name),
    listNames: () => lists.keys(),
  };
  const report = (mistake: Mistake): void => void mistakes.push(mistake);
  const node = parseExpression(text, report);
  const compiled = node === undefined ? undefined : new Compiler(vocabulary).condition(node, report);
  const run = (facts: Given): FactValue => {
    if (compiled === undefined) throw new Error(`${text}: ${mistakes.map((mistake) => mistake.message).join('; ')}`);
    return compiled.run(factsArray(slots, facts)) as FactValue;
  };
  return { compiled, mistakes, run, slots };
}

/** Facts by slot. */
export function factsArray(slots: SlotTable, facts: Given): Facts {
  const array = Array.from({ length: slots.count }, (): FactValue => undefined);
  for (const [path, value] of Object.entries(facts)) {
    const slot = slots.of(path);
    if (slot !== undefined) array[slot] = value;
  }
  return array;
}

/** The result of a condition on these facts. */
export function evaluate(text: string, facts: Given = {}): FactValue {
  return check(text).run(facts);
}

/** The first mistake of a condition, as `"marked text": message => suggestion`. */
export function mistakeOf(text: string): string {
  const [mistake] = check(text).mistakes;
  if (mistake === undefined) return 'none';
  const suggestion = mistake.suggestion === undefined ? '' : ` => ${mistake.suggestion}`;
  return `"${text.slice(mistake.start, mistake.end)}": ${mistake.message}${suggestion}`;
}
