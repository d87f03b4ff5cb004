import { isJsonArray, type JsonValue } from '@ringfence/contract';

/** A signal's value, if it has the expected type. */
export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function listOf(value: JsonValue | undefined): readonly string[] | undefined {
  if (value === undefined || !isJsonArray(value)) return undefined;
  return value.every((item) => typeof item === 'string') ? value : undefined;
}
