/** What the address of a database looks like. */
export const urlExpected =
  'postgresql://user:password@host:port/database, with "/", "?", "#", "@" and "%" in the password percent-encoded';

/**
 * Whether the text is the address of a database. Checked here because the library's error does not explain the mistake, and because it would read what follows a "/"
 * in a password as the database name.
 */
export function isDatabaseUrl(text: string): boolean {
  const { authority, path } =
    /^postgres(?:ql)?:\/\/(?<authority>[^\s/?#]*)(?<path>[^\s?#]*)(?:\?[^\s#]*)?$/.exec(text)?.groups ?? {};
  if (authority === undefined || path === undefined) return false;
  if (!authority.includes('@') && path.includes('@')) return false;
  // PostgreSQL accepts an empty host (a Unix socket), which is not a valid URL elsewhere.
  return URL.canParse(text.replace('@/', '@localhost/'));
}
