import { type Signal, unsupported } from './signal.ts';

/** The first of the values that the media feature has now. A browser that matches none does not know the feature. */
export function firstMatch(feature: string, values: readonly string[]): Signal<string> {
  const value = values.find((value) => matchMedia(`(${feature}: ${value})`).matches);
  return value === undefined ? unsupported : { value };
}
