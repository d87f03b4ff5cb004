/** Applies a JSON merge patch: members of the patch replace those of the value, null removes. Source: RFC 7396. */
export function mergePatch(value: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(value) ? Object.entries(value) : []);
  for (const [key, member] of Object.entries(patch)) {
    if (member === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), member));
  }
  return Object.fromEntries(merged);
}

/** Only plain objects are merged; class instances are replaced as values. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
