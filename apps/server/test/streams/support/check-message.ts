import { Errors } from 'typebox/value';
import { publishedSchema } from '../../../src/streams/published-schema.ts';
import { streamKinds, type StreamKind } from '../../../src/streams/stream-settings.ts';

const schemas = Object.fromEntries(streamKinds.map((kind) => [kind, closed(publishedSchema(kind))]));

/** What of a message, after its way over JSON, is not as its published schema says; members that it does not name count. */
export function mistakesIn(kind: StreamKind, message: object): readonly string[] {
  const sent: unknown = JSON.parse(JSON.stringify(message));
  return Errors(schemas[kind] as object, sent).map((error) => `${error.instancePath} ${error.message}`);
}

/** The schema in which no object has other members than those that it names. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inside = Object.fromEntries(Object.entries(schema).map(([name, member]) => [name, closed(member)]));
  const isObject = inside['type'] === 'object' && inside['properties'] !== undefined;
  return isObject && inside['additionalProperties'] === undefined ? { ...inside, additionalProperties: false } : inside;
}
