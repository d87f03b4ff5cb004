/** A plain value of a received body. */
export type Leaf = string | number | boolean | null;

export interface Member {
  /** Dotted, as facts are named. */
  readonly path: string;
  readonly value: Leaf;
}

/** What somebody changed, by path: another text, or `undefined` for a member that is left out. */
export type Edits = ReadonlyMap<string, string | undefined>;

/** The plain members of a body, in its order. Lists are left alone. */
export function membersOf(body: unknown, path = ''): readonly Member[] {
  if (Array.isArray(body)) return [];
  if (typeof body === 'object' && body !== null) {
    return Object.entries(body).flatMap(([name, value]) => membersOf(value, path === '' ? name : `${path}.${name}`));
  }
  return [{ path, value: body as Leaf }];
}

/**
 * The merge patch (RFC 7396) that makes of the body what was typed. A number stays a number where what was typed is one;
 * a member that was not there is a number when it looks like one and its neighbours say so by `isNumber`.
 */
export function patchOf(
  members: readonly Member[],
  edits: Edits,
  isNumber: (path: string) => boolean,
): Readonly<Record<string, unknown>> {
  const values = new Map(members.map(({ path, value }) => [path, value]));
  const patch: Record<string, unknown> = {};
  for (const [path, text] of edits) {
    const before = values.get(path);
    const wantsNumber = typeof before === 'number' || (before === undefined && isNumber(path));
    put(patch, path.split('.'), text === undefined ? null : valueOf(text, { wantsNumber, before }));
  }
  return patch;
}

function valueOf(text: string, of: { readonly wantsNumber: boolean; readonly before: Leaf | undefined }): unknown {
  if (typeof of.before === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  const isDigits = /^-?\d+(?:\.\d+)?$/.test(text);
  return of.wantsNumber && isDigits ? exactNumber(text) : text;
}

/** A number that is sent with every digit that was typed, also those that a number of JavaScript would lose. */
function exactNumber(text: string): unknown {
  const { rawJSON } = JSON as unknown as { readonly rawJSON?: (text: string) => unknown };
  // Older browsers do not have it, and JSON has no zeros before a number.
  return text.length <= 15 || rawJSON === undefined || /^-?0\d/.test(text) ? Number(text) : rawJSON(text);
}

function put(patch: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    patch[name] = value;
    return;
  }
  const inner = (patch[name] ??= {}) as Record<string, unknown>;
  put(inner, rest, value);
}
