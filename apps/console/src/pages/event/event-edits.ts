/** A scalar of a received body. */
export type Leaf = string | number | boolean | null;

export interface Member {
  /** Dotted path, as facts are named. */
  readonly path: string;
  readonly value: Leaf;
}

/** Edits by path: a new text, or `undefined` for a removed member. */
export type Edits = ReadonlyMap<string, string | undefined>;

/** The scalar members of a body, in order. Lists are skipped. */
export function membersOf(body: unknown, path = ''): readonly Member[] {
  if (Array.isArray(body)) return [];
  if (typeof body === 'object' && body !== null) {
    return Object.entries(body).flatMap(([name, value]) => membersOf(value, path === '' ? name : `${path}.${name}`));
  }
  return [{ path, value: body as Leaf }];
}

/**
 * The merge patch (RFC 7396) that applies the edits. A number stays a number if the new text is one. A new member is a
 * number if its text is one and `isNumber` says so for its path.
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

/** A JSON number that keeps every typed digit, beyond the precision of a double. */
function exactNumber(text: string): unknown {
  const { rawJSON } = JSON as unknown as { readonly rawJSON?: (text: string) => unknown };
  // Older browsers lack `JSON.rawJSON`, and JSON has no leading zeros.
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
