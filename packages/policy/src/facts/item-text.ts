import { parseDecimal } from '@ringfence/contract';
import { networkText, parseNetwork } from '../values/networks.ts';
import type { FactType, FactValue } from './fact-value.ts';
import type { PolicyList } from '../policy.ts';
import { factDefinition } from './facts.ts';
import { insteadOfText } from './text-shape.ts';
import { printFact } from './print-fact.ts';

/** Separator between the parts of a pair: no received text contains it. */
const between = '\u0000';
const decimalBounds = { integerDigits: 18, scale: 12 } as const;
/** Longest part of an item. */
export const itemLengthMax = 256;

/** The text that identifies an item of a live list. */
export function itemText(value: FactValue, type: FactType): string {
  return typeof value === 'string' ? value : printFact(value, type);
}

export function pairText(parts: readonly string[]): string {
  return parts.join(between);
}

/** The parts of an item's text: one, or two of a pair. */
export function partsOfItem(text: string): readonly string[] {
  return text.split(between);
}

/** What is wrong with an item that a person entered; `text` is its identifying text. */
export type ItemResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly expected: string };

/** Reads an item of a list in the form that a person writes: one text, or two for a pair. */
export function readItem(list: Pick<PolicyList, 'of' | 'type' | 'isAddress'>, parts: readonly string[]): ItemResult {
  if (parts.length !== list.of.length) {
    return {
      ok: false,
      expected: list.of.length === 1 ? `one value, of ${list.of[0]}` : `two values: ${list.of.join(' and ')}`,
    };
  }
  if (parts.some((part) => part === '' || part.length > itemLengthMax || part.includes(between)))
    return { ok: false, expected: `a text of 1 to ${itemLengthMax} characters` };
  if (list.of.length > 1) return { ok: true, text: pairText(parts) };
  const [text = ''] = parts;
  return list.isAddress ? addressItem(text) : scalarItem(list.type, text);
}

/** A hash that ingest made: an HMAC-SHA256 in hexadecimal digits. */
const keyedForm = /^[0-9a-f]{64}$/;

/**
 * What to write instead of an item that no event can ever match: a country, currency or payee of another form, or a card
 * hash that is not the keyed one of an event. `undefined` for all others.
 */
export function neverMatched(list: Pick<PolicyList, 'of'>, parts: readonly string[]): string | undefined {
  for (const [at, path] of list.of.entries()) {
    const fact = factDefinition(path);
    const part = parts[at] ?? '';
    if (fact === undefined || fact.isAddress === true || (path === 'creditCard.hash' && keyedForm.test(part))) continue;
    const instead = insteadOfText(fact, part);
    if (instead !== undefined) return instead;
  }
  return undefined;
}

/** All spellings of an address are one item. */
function addressItem(text: string): ItemResult {
  const network = parseNetwork(text);
  return network === undefined
    ? { ok: false, expected: 'an address or an address range, such as 203.0.113.0/24' }
    : { ok: true, text: networkText(network) };
}

function scalarItem(type: FactType, text: string): ItemResult {
  switch (type) {
    case 'int':
      return Number.isSafeInteger(Number(text)) && /^-?\d+$/.test(text)
        ? { ok: true, text: String(Number(text)) }
        : { ok: false, expected: 'a whole number' };
    case 'bool':
      return text === 'true' || text === 'false' ? { ok: true, text } : { ok: false, expected: 'true or false' };
    case 'decimal': {
      const value = parseDecimal(text, decimalBounds);
      return value === undefined
        ? { ok: false, expected: 'a number, such as 1000.50' }
        : { ok: true, text: printFact(value, type) };
    }
    default:
      return { ok: true, text };
  }
}

/** The value of an item's text. */
export function itemValue(type: FactType, text: string): FactValue {
  if (type === 'int') return Number(text);
  if (type === 'bool') return text === 'true';
  return type === 'decimal' ? parseDecimal(text, decimalBounds) : text;
}
