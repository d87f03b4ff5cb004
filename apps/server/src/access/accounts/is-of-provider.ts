/**
 * Hosts at which Microsoft is asked and by which it names itself: under `login.microsoftonline.com/common` the issuer of an
 * ID token is that of its tenant, and older tokens name `sts.windows.net`.
 * Source: OpenID Connect on the Microsoft identity platform; the same exception stands in `openid-client`.
 */
const microsoft = /^(?:login\.microsoftonline\.com|sts\.windows\.net|[a-z0-9-]+\.b2clogin\.com)$/;

/**
 * Whether an account that this issuer proved is one of the provider that the file names. A slash at the end of an address
 * without a path makes no other provider.
 */
export function isOfProvider(provider: string, issuer: string): boolean {
  const [named, proved] = [URL.parse(provider), URL.parse(issuer)];
  if (named === null || proved === null) return provider === issuer;
  return named.href === proved.href || (microsoft.test(named.hostname) && microsoft.test(proved.hostname));
}
