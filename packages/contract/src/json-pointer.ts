/** Builds a JSON Pointer (RFC 6901) from its parts; without parts it is "", the whole document. */
export function pointerOf(parts: readonly (string | number)[]): string {
  return parts.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
