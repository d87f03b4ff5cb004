import { formatDecimal, parseDecimal } from './decimal.ts';
import { isJsonObject, type JsonObject, type JsonValue, numberText } from './json-value.ts';
import { type SchemaNode, typeOf } from './schema-node.ts';

/**
 * Reads a body that was validated, now or earlier: returns the members of the schema, in its order, without absent ones
 * (null, and "" in optional members). It does not validate, so that old records of the log stay readable even if ingest
 * has become stricter since.
 */
export type BodyRead = (body: JsonObject) => Readonly<Record<string, unknown>>;

type Read = (value: JsonValue) => unknown;

/** @param first the initial members of the object */
export function bodyRead(node: SchemaNode, first: Readonly<Record<string, unknown>>): BodyRead {
  const members = Object.entries(node.properties ?? {}).map(([name, property]) => ({
    name,
    dropsEmpty: node.required?.includes(name) !== true || property['x-empty-is-absent'] === true,
    read: readOf(property),
  }));
  return (body) => {
    const object: Record<string, unknown> = { ...first };
    for (const member of members) {
      const value = body[member.name];
      if (value === undefined || (value === '' && member.dropsEmpty)) continue;
      const content = member.read(value);
      if (content !== undefined) object[member.name] = content;
    }
    return object;
  };
}

function readOf(node: SchemaNode): Read {
  switch (typeOf(node)) {
    case 'string':
      return (value) => (typeof value === 'string' ? value : undefined);
    case 'integer':
      // Adding zero converts -0 to 0.
      return (value) => {
        const text = numberText(value);
        return text === undefined ? undefined : Number(text) + 0;
      };
    case 'number':
      return readAmount;
    default: {
      if (node.properties === undefined) return readMap;
      const read = bodyRead(node, {});
      return (value) => (isJsonObject(value) ? read(value) : undefined);
    }
  }
}

function readMap(value: JsonValue): Readonly<Record<string, string>> | undefined {
  if (!isJsonObject(value)) return undefined;
  const texts: Record<string, string> = {};
  for (const key of Object.keys(value)) {
    const text = value[key];
    if (typeof text === 'string' && text !== '') texts[key] = text;
  }
  return texts;
}

/** The digits as sent, except that exponents are expanded and zeros beyond the sixth place are dropped. */
function readAmount(value: JsonValue): string | undefined {
  const text = numberText(value);
  if (text === undefined) return undefined;
  if (plainDigits.test(text)) return text;
  const amount = parseDecimal(text);
  return amount === undefined ? undefined : formatDecimal(amount);
}

const plainDigits = /^-?\d+(?:\.\d{1,6})?$/;
