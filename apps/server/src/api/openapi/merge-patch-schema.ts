/** The part of JSON Schema that the shapes use. */
interface Node {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, object>>;
  readonly patternProperties?: Readonly<Record<string, object>>;
}

/** The schema of a JSON merge patch (RFC 7396) for a schema: every member is optional, and null removes it. */
export function mergePatchOf(schema: object): object {
  const {
    required: _required,
    default: _default,
    ...node
  } = schema as Node & { required?: unknown; default?: unknown };
  return {
    ...node,
    ...(node.properties === undefined ? {} : { properties: patched(node.properties) }),
    ...(node.patternProperties === undefined ? {} : { patternProperties: patched(node.patternProperties) }),
  };
}

function patched(members: Readonly<Record<string, object>>): Record<string, object> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, nullable(mergePatchOf(member))]));
}

function nullable(schema: Node): object {
  const { type, enum: choices } = schema;
  return { ...schema, type: [type, 'null'], ...(choices === undefined ? {} : { enum: [...choices, null] }) };
}
