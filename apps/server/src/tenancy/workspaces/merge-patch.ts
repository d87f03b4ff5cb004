/** The value with a JSON merge patch applied: members of the patch replace, null removes. Source: RFC 7396. */
export function mergePatch(value: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(value) ? Object.entries(value) : []);
  for (const [key, member] of Object.entries(patch)) {
    if (member === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), member));
  }
  return Object.fromEntries(merged);
}

/** Instances of classes are values, not members. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
