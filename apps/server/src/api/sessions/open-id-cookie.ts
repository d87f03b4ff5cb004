import { type Attempt, attemptMsMax, type OpenIdLogIn } from '../../access/accounts/open-id.ts';
import { cookieOf } from '../../access/accounts/session-cookie.ts';

/** `SameSite=Lax`: the provider's redirect must send the cookie back. The cookie alone proves nothing. */
const name = '__Host-ringfence-openid';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/**
 * Concurrent log-ins of one browser, one per tab. Each takes up to 1,200 bytes, and browsers limit a cookie to 4,096.
 */
const attemptsMax = 3;
/** A character that no attempt contains. */
const divider = '~';

/** A log-in that the browser has begun. */
export interface Begun {
  /** The attempt as stored in the cookie. */
  readonly text: string;
  readonly attempt: Attempt;
}

/** The log-ins that the browser has begun, oldest first, including expired ones. */
export function begunOf(cookies: string | undefined, logIn: Pick<OpenIdLogIn, 'openAttempt'>): readonly Begun[] {
  const texts = cookieOf(cookies, name)?.split(divider, attemptsMax) ?? [];
  return texts.flatMap((text) => {
    const attempt = logIn.openAttempt(text);
    return attempt === undefined ? [] : [{ text, attempt }];
  });
}

/** The cookie that stores these attempts; only the newest if there are too many. */
export function attemptCookie(texts: readonly string[]): string {
  const kept = texts.slice(-attemptsMax).join(divider);
  return `${name}=${kept}; ${attributes}; Max-Age=${kept === '' ? 0 : attemptMsMax / 1_000}`;
}
