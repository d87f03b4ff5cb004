/** The secret of a link. It follows the `#`, so that neither proxies nor logs see it. */
export function linkToken(): string | undefined {
  return new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined;
}
