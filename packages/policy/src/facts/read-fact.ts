import { parseDecimal, unreachable } from '@ringfence/contract';
import { parseDuration } from '../values/duration.ts';
import type { FactType, FactValue } from './fact-value.ts';
import { parseTimestamp } from '../values/timestamp.ts';

/** Covers every decimal fact: twelve places, and more digits before the point than any amount has. */
const decimalBounds = { integerDigits: 30, scale: 12 } as const;

/** Parses a fact printed by `printFact`. `undefined` for a text that it never prints. */
export function readFact(text: string, type: FactType): FactValue {
  switch (type) {
    case 'string':
      return text;
    case 'int':
    case 'double':
      return text === '' || Number.isNaN(Number(text)) ? undefined : Number(text);
    case 'bool':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'decimal':
      return parseDecimal(text, decimalBounds);
    case 'timestamp':
      return parseTimestamp(text);
    case 'duration':
      return readDuration(text);
    case 'map':
      return readMap(text);
    default:
      return unreachable(type);
  }
}

function readDuration(text: string): number | undefined {
  const size = parseDuration(text.replace(/^-/, ''));
  return size !== undefined && text.startsWith('-') ? -size : size;
}

function readMap(text: string): ReadonlyMap<string, string> | undefined {
  if (!text.startsWith('{')) return undefined;
  return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
}
