import { type Signal, unsupported } from './signal.ts';

/**
 * The current value of the media feature, from the given values. A browser that matches none does not support the
 * feature.
 */
export function firstMatch(feature: string, values: readonly string[]): Signal<string> {
  const value = values.find((value) => matchMedia(`(${feature}: ${value})`).matches);
  return value === undefined ? unsupported : { value };
}
