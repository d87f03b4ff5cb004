import { createRemoteJWKSet, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';

/** Whose sessions the provider ended. At least one of both. */
export interface EndedAtProvider {
  readonly issuer: string;
  /** All sessions of this person. */
  readonly subject: string | undefined;
  /** The sessions of this `sid`. */
  readonly session: string | undefined;
}

/** The provider's clock may be wrong by this. */
const toleranceSeconds = 60;
/** Tokens are sent at once; an old one may have been stolen from a log. */
const ageSecondsMax = 300;
/** Ids of tokens that were used: a repeated one would end sessions that were opened since. */
const usedMax = 10_000;
const event = 'http://schemas.openid.net/event/backchannel-logout';
/** Never `none`, and no key that the client shares. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** Why a token was refused; for the log of the service. */
export class LogOutTokenError extends Error {
  override readonly name = 'LogOutTokenError';
}

/** Verifies the provider's log-out tokens. Source: OpenID Connect Back-Channel Logout 1.0, section 2.6. */
export class LogOutTokens {
  readonly #issuer: string;
  readonly #clientId: string;
  readonly #keys: JWTVerifyGetKey;
  readonly #used = new LRUCache<string, true>({
    max: usedMax,
    ttl: (ageSecondsMax + 2 * toleranceSeconds) * 1_000,
  });

  constructor(of: { readonly issuer: string; readonly clientId: string; readonly keysUrl: URL }) {
    this.#issuer = of.issuer;
    this.#clientId = of.clientId;
    this.#keys = createRemoteJWKSet(of.keysUrl);
  }

  /** @throws LogOutTokenError */
  async verify(token: string, nowMs: number): Promise<EndedAtProvider> {
    const { iss, sub, sid, jti, events, nonce } = await this.#verified(token, nowMs);
    // A member tells an ID token, which has no such event and may have a nonce, from a log-out token.
    if (nonce !== undefined || !isLogOut(events)) throw new LogOutTokenError('it is not a log-out token');
    const session = typeof sid === 'string' && sid !== '' ? sid : undefined;
    if (sub === undefined && session === undefined)
      throw new LogOutTokenError('it names neither a person nor a session');
    if (this.#used.has(jti!)) throw new LogOutTokenError('it was used before');
    this.#used.set(jti!, true);
    return { issuer: iss!, subject: sub, session };
  }

  async #verified(token: string, nowMs: number): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, this.#keys, {
        issuer: this.#issuer,
        audience: this.#clientId,
        algorithms,
        requiredClaims: ['iss', 'aud', 'iat', 'jti', 'events'],
        maxTokenAge: ageSecondsMax,
        clockTolerance: toleranceSeconds,
        currentDate: new Date(nowMs),
      });
      return payload;
    } catch (cause) {
      throw new LogOutTokenError('it could not be verified', { cause });
    }
  }
}

function isLogOut(events: unknown): boolean {
  if (typeof events !== 'object' || events === null || !Object.hasOwn(events, event)) return false;
  const told = (events as Readonly<Record<string, unknown>>)[event];
  return typeof told === 'object' && told !== null;
}
