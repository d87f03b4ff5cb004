/** A member that an entry says was changed; undefined where there was none. */
export interface AuditChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What is different between before and after, member by member, in the order in which they stand there. */
export function auditChanges(detail: Readonly<Record<string, unknown>>): readonly AuditChange[] {
  const before = leaves(detail['before']);
  const after = leaves(detail['after']);
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  return paths
    .map((path) => ({ path, before: before.get(path), after: after.get(path) }))
    .filter((change) => change.before !== change.after);
}

/** Members by their paths. A list is one value: where an item of it stands means nothing. */
function leaves(value: unknown, path = ''): ReadonlyMap<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new Map(value === undefined ? [] : [[path, typeof value === 'string' ? value : JSON.stringify(value)]]);
  }
  return new Map(
    Object.entries(value).flatMap(([name, member]) => [...leaves(member, path === '' ? name : `${path}.${name}`)]),
  );
}
