/**
 * Hosts of Microsoft's discovery documents and issuers: under `login.microsoftonline.com/common` the issuer of an ID
 * token is that of its tenant, and older tokens name `sts.windows.net`. Source: OpenID Connect on the Microsoft
 * identity platform; `openid-client` has the same exception.
 */
const microsoft = /^(?:login\.microsoftonline\.com|sts\.windows\.net|[a-z0-9-]+\.b2clogin\.com)$/;

/**
 * Whether an account of this issuer belongs to the configured provider. A trailing slash after an address without a
 * path makes no difference.
 */
export function isOfProvider(provider: string, issuer: string): boolean {
  const [named, proved] = [URL.parse(provider), URL.parse(issuer)];
  if (named === null || proved === null) return provider === issuer;
  return named.href === proved.href || (microsoft.test(named.hostname) && microsoft.test(proved.hostname));
}
