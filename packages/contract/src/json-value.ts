import { survivesAsDouble } from './decimal.ts';

/**
 * A number that JavaScript would print differently: `10.10`, `1E3`, `12345678901234567.89`. The text is kept because
 * the number may have lost digits.
 */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type JsonObject = { readonly [key: string]: JsonValue };

/** A JSON value. A `number` prints exactly as it was written; all other numbers are `NumberText`. */
export type JsonValue = null | boolean | number | string | NumberText | readonly JsonValue[] | JsonObject;

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !(value instanceof NumberText) && !Array.isArray(value);
}

/** The digits of a number; `undefined` for any other value. */
export function numberText(value: JsonValue): string | undefined {
  if (typeof value === 'number') return String(value);
  return value instanceof NumberText ? value.text : undefined;
}

/** Prints without white space, members in their order, numbers with their original digits. */
export function printJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (value instanceof NumberText) return value.text;
  if (isJsonArray(value)) return `[${value.map(printJson).join(',')}]`;
  let text = '';
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${printJson(member)}`;
  }
  return `{${text}}`;
}

/**
 * The same text for every spelling of the same JSON, and another for every other: white space, the order of members,
 * escapes, and notations of a number that a double keeps (`10.10` and `1.01E1`) make no difference. To be hashed: it is
 * not JSON. A length before each string takes half the time of escaping it.
 */
export function canonicalText(value: JsonValue): string {
  if (typeof value === 'string') return `"${value.length}:${value}`;
  if (typeof value !== 'object' || value === null) return `${value};`;
  if (value instanceof NumberText) return `${survivesAsDouble(value.text) ? Number(value.text) : value.text};`;
  let text = '';
  if (isJsonArray(value)) {
    for (const item of value) text += canonicalText(item);
    return `[${text}]`;
  }
  for (const name of Object.keys(value).sort()) text += `${name.length}:${name}${canonicalText(value[name]!)}`;
  return `{${text}}`;
}

export function isJsonArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
