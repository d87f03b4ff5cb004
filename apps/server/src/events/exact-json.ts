/** What the platform has, and the library of es2024 does not know yet. Source: ECMA-262, JSON.parse source text access. */
interface JsonWithSource {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source: string }) => unknown): unknown;
  /** A value that `JSON.stringify` prints as this very text. */
  rawJSON(text: string): unknown;
}

const json = JSON as unknown as JsonWithSource;

/** Parsed JSON that prints again with the digits that its numbers had: an amount of `10.10` stays one. */
export function exactJson(text: string): unknown {
  return json.parse(text, (_, value, { source }) => (typeof value === 'number' ? json.rawJSON(source) : value));
}
