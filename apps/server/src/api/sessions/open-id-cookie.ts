import { type Attempt, attemptMsMax, type OpenIdLogIn } from '../../access/accounts/open-id.ts';
import { cookieOf } from '../../access/accounts/session-cookie.ts';

/** `Lax`: the provider's redirect has to bring it back. It proves nothing by itself. */
const name = '__Host-ringfence-openid';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/** Log-ins of one browser at once, in a tab each. One takes up to 1,200 bytes, and browsers keep no cookie of more than 4,096. */
const attemptsMax = 3;
/** Stands in no attempt. */
const divider = '~';

/** A log-in that the browser has begun. */
export interface Begun {
  /** The attempt as the cookie has it. */
  readonly text: string;
  readonly attempt: Attempt;
}

/** What the browser has begun, oldest first, however long ago. */
export function begunOf(cookies: string | undefined, logIn: Pick<OpenIdLogIn, 'openAttempt'>): readonly Begun[] {
  const texts = cookieOf(cookies, name)?.split(divider, attemptsMax) ?? [];
  return texts.flatMap((text) => {
    const attempt = logIn.openAttempt(text);
    return attempt === undefined ? [] : [{ text, attempt }];
  });
}

/** The cookie that keeps these, of too many the last ones. */
export function attemptCookie(texts: readonly string[]): string {
  const kept = texts.slice(-attemptsMax).join(divider);
  return `${name}=${kept}; ${attributes}; Max-Age=${kept === '' ? 0 : attemptMsMax / 1_000}`;
}
