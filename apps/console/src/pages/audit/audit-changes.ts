/** A changed member; undefined if absent before or after. */
export interface AuditChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The differences between before and after by member, in document order. */
export function auditChanges(detail: Readonly<Record<string, unknown>>): readonly AuditChange[] {
  const before = leaves(detail['before']);
  const after = leaves(detail['after']);
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  return paths
    .map((path) => ({ path, before: before.get(path), after: after.get(path) }))
    .filter((change) => change.before !== change.after);
}

/** Members by path. A list is one value: the position of an item has no meaning. */
function leaves(value: unknown, path = ''): ReadonlyMap<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new Map(value === undefined ? [] : [[path, typeof value === 'string' ? value : JSON.stringify(value)]]);
  }
  return new Map(
    Object.entries(value).flatMap(([name, member]) => [...leaves(member, path === '' ? name : `${path}.${name}`)]),
  );
}
