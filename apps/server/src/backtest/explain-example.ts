import { parseDecimal, unreachable } from '@ringfence/contract';
import {
  explain,
  type ExplainedCondition,
  type Facts,
  type FactType,
  type FactValue,
  type Policy,
} from '@ringfence/policy';
import type { FiredRule } from '@ringfence/engine';
import type { FiredOnEvent } from './lane-report.ts';

/** Why a rule fired on an event. */
export interface ExplainedRule {
  readonly reason: number;
  readonly name: string;
  readonly mode: 'live' | 'shadow';
  readonly suppressed: FiredRule['suppressed'];
  readonly conditions: readonly ExplainedCondition[];
}

/** Every rule that fired on the event, part by part, with what it read. */
export function explainExample({ rules }: FiredOnEvent, policy: Policy): readonly ExplainedRule[] {
  return rules.map(({ reason, name, mode, suppressed, facts }) => {
    const rule = policy.rules.find((one) => one.reason === reason)!;
    const values: Facts = [];
    for (const { path, slot, type } of rule.reads) values[slot] = readPrinted(facts[path], type);
    return { reason, name, mode, suppressed, conditions: explain(rule, values).conditions };
  });
}

const unitsMs: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
};
/** More digits than an amount has: sums and averages print all that they keep. */
const decimalBounds = { integerDigits: 40, scale: 12 };

/** The value that `printFact` printed: a decision keeps what its rules saw as text. */
export function readPrinted(text: string | undefined, type: FactType): FactValue {
  if (text === undefined) return undefined;
  switch (type) {
    case 'string':
      return text;
    case 'int':
    case 'double':
      return Number(text);
    case 'bool':
      return text === 'true';
    case 'decimal':
      return parseDecimal(text, decimalBounds);
    case 'timestamp':
      return Date.parse(text);
    case 'duration':
      return readDuration(text);
    case 'map':
      return new Map(Object.entries(JSON.parse(text) as Readonly<Record<string, string>>));
    default:
      return unreachable(type);
  }
}

function readDuration(text: string): number {
  const magnitude = [...text.matchAll(/(\d+)(ms|[dhms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * unitsMs[unit!]!,
    0,
  );
  return text.startsWith('-') ? -magnitude : magnitude;
}
