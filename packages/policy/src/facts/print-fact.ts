import { type Decimal, formatDecimal, unreachable } from '@ringfence/contract';
import { formatDuration } from '../values/duration.ts';
import type { FactType, FactValue } from './fact-value.ts';
import { formatTimestamp } from '../values/timestamp.ts';

/**
 * A fact in readable form, the same on every machine: decimals in their shortest digits, timestamps in UTC
 * (`2026-11-21T02:14:00Z`), durations with units (`1h30m`), maps as JSON with sorted keys.
 *
 * @returns "" if it is missing
 */
export function printFact(value: FactValue, type: FactType): string {
  if (value === undefined) return '';
  switch (type) {
    case 'string':
      return value as string;
    case 'int':
    case 'double':
    case 'bool':
      return JSON.stringify(value);
    case 'decimal':
      return formatDecimal(value as Decimal);
    case 'timestamp':
      return formatTimestamp(value as number);
    case 'duration':
      return formatDuration(value as number);
    case 'map':
      return printMap(value as ReadonlyMap<string, string>);
    default:
      return unreachable(type);
  }
}

function printMap(map: ReadonlyMap<string, string>): string {
  const entries = [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`;
}
