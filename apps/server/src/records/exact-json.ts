/** Available at run time, but missing from the es2024 library. Source: ECMA-262, JSON.parse source text access. */
interface JsonWithSource {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source: string }) => unknown): unknown;
  /** A value that `JSON.stringify` prints as exactly this text. */
  rawJSON(text: string): unknown;
}

const json = JSON as unknown as JsonWithSource;

/** A run of digits longer than a JavaScript number surely represents. */
const longNumber = /\d[\d.eE+-]{15}/;

/**
 * Parses JSON to ordinary numbers, except those that would lose digits: these print with their original digits, and are
 * not of type `number`.
 */
export function losslessJson(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  return json.parse(text, (_, value, { source }) =>
    typeof value === 'number' && source.length > 15 && String(value) !== source ? json.rawJSON(source) : value,
  );
}

/** Parses JSON so that all numbers print with their original digits: an amount of `10.10` stays `10.10`. */
export function exactJson(text: string): unknown {
  return json.parse(text, (_, value, { source }) => (typeof value === 'number' ? json.rawJSON(source) : value));
}
