/** Builds a complete body from the examples of a schema's members, for documents and tests. */
export function schemaExample(schema: object): unknown {
  const { properties, examples } = schema as {
    readonly properties?: Readonly<Record<string, object>>;
    readonly examples?: readonly unknown[];
  };
  if (properties === undefined) return examples?.[0];
  return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, schemaExample(member)]));
}
