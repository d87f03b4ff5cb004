/** What the platform has, and the library of es2024 does not know yet. Source: ECMA-262, JSON.parse source text access. */
interface JsonWithSource {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source: string }) => unknown): unknown;
  /** A value that `JSON.stringify` prints as this very text. */
  rawJSON(text: string): unknown;
}

const json = JSON as unknown as JsonWithSource;

/** What a number of JavaScript may not hold, so that it has to be looked at: more digits than any has. */
const longNumber = /\d[\d.eE+-]{15}/;

/**
 * Parsed JSON whose numbers are numbers, but for those that would change: they print again with their digits, and are a
 * number to nobody who asks for one.
 */
export function losslessJson(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  return json.parse(text, (_, value, { source }) =>
    typeof value === 'number' && source.length > 15 && String(value) !== source ? json.rawJSON(source) : value,
  );
}

/** Parsed JSON that prints again with the digits that its numbers had: an amount of `10.10` stays one. */
export function exactJson(text: string): unknown {
  return json.parse(text, (_, value, { source }) => (typeof value === 'number' ? json.rawJSON(source) : value));
}
