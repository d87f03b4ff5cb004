/**
 * Log-in with an OpenID provider: authorization code flow with PKCE, state and nonce.
 *
 *     browser -> start -> provider -> callback -> session
 *                  \___ attempt cookie, sealed ___/
 *
 * Source: OpenID Connect Core 1.0; RFC 9700 (best current practice of OAuth 2.0).
 */
import { isIP } from 'node:net';
import { classifyAddress } from '@ringfence/delivery';
import * as client from 'openid-client';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { openCookie, sealCookie } from '../../platform/secrets/sealed-cookie.ts';
import { emailName, isEmail } from './email-name.ts';
import { type EndedAtProvider, LogOutTokenError, LogOutTokens } from './log-out-token.ts';
import { OpenIdRefusal } from './open-id-refusal.ts';
import { everywhere, type Role, type Roles } from './roles.ts';
import { secretTokenHash } from './secret-token.ts';

export interface OpenIdSettings {
  /** Text of the button. */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** `undefined`: a public client. */
  readonly clientSecret: string | undefined;
  readonly scope: string;
  /** Accepts an e-mail address even if the provider does not state that it verified it. */
  readonly trustEmail: boolean;
  /** The claim whose values determine a person's roles. */
  readonly rolesClaim: string;
  readonly roles: readonly RoleMapping[];
  /** No one can log in with a password or set one. */
  readonly only: boolean;
}

export interface RoleMapping {
  /** A value of the claim. */
  readonly value: string;
  readonly role: Role;
  /** `*`, the id of a workspace, or `name:environment`. */
  readonly workspace: string;
}

/** A person's identity and claims according to the provider. */
export interface ProvenIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly name: string;
  /** Values of the roles claim. */
  readonly values: readonly string[];
}

/** State of one log-in, from the redirect to the provider until the callback. */
export interface Attempt {
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
  /** Page of the console to open afterwards. */
  readonly to: string;
  /** Hash of the token of the browser's previous session, in base64url. */
  readonly former: string | undefined;
  readonly untilMs: number;
}

/** Maximum time that a person may spend at the provider. */
export const attemptMsMax = 10 * 60_000;
const timeoutSeconds = 10;
/** Column length in the accounts table. */
const nameLengthMax = 100;
const emailLengthMax = 254;
const attemptContext = 'openid attempt';

/** A log-in that the provider confirmed. */
interface Finished {
  readonly identity: ProvenIdentity;
  readonly to: string;
  /** Of the browser's previous session. */
  readonly formerHash: Buffer | undefined;
  /** What the provider calls its session, if it says so. */
  readonly session: string | undefined;
}

export class OpenIdLogIn {
  readonly settings: OpenIdSettings;
  readonly path = '/management/v1/session/openid';
  readonly #redirectUri: string;
  readonly #master: MasterKeys;
  #provider: Promise<client.Configuration> | undefined;
  #logOuts: LogOutTokens | undefined;

  constructor(of: { readonly settings: OpenIdSettings; readonly origin: string; readonly master: MasterKeys }) {
    this.settings = of.settings;
    this.#redirectUri = `${of.origin}${this.path}/callback`;
    this.#master = of.master;
  }

  get name(): string {
    return this.settings.name;
  }

  /**
   * Begins a log-in: the URL to redirect to, and the attempt to store in a cookie.
   *
   * @param of `former`: the token of the browser's current session, because the cookie is not sent with the callback
   * @throws OpenIdRefusal if the provider is unavailable
   */
  async begin(
    of: { readonly to: string; readonly former: string | undefined },
    nowMs: number,
  ): Promise<{ readonly url: string; readonly attempt: string }> {
    const provider = await this.#discovered();
    const [verifier, state, nonce] = [client.randomPKCECodeVerifier(), client.randomState(), client.randomNonce()];
    const url = client.buildAuthorizationUrl(provider, {
      redirect_uri: this.#redirectUri,
      scope: this.settings.scope,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    const former = of.former === undefined ? undefined : secretTokenHash(of.former).toString('base64url');
    const untilMs = nowMs + attemptMsMax;
    return { url: url.href, attempt: this.#seal({ verifier, state, nonce, to: of.to, former, untilMs }) };
  }

  /** Opens an attempt that we sealed, even an expired one. */
  openAttempt(text: string): Attempt | undefined {
    return openCookie(this.#master, attemptContext, text) as Attempt | undefined;
  }

  /**
   * Verifies the provider's callback and returns the proven identity.
   *
   * @param query of the callback, including the question mark
   * @throws OpenIdRefusal for every error
   */
  async finish(
    query: string,
    { attempt, nowMs }: { readonly attempt: Attempt | undefined; readonly nowMs: number },
  ): Promise<Finished> {
    if (attempt === undefined || attempt.untilMs <= nowMs) throw new OpenIdRefusal('late');
    const provider = await this.#discovered();
    try {
      const tokens = await client.authorizationCodeGrant(provider, new URL(`${this.#redirectUri}${query}`), {
        pkceCodeVerifier: attempt.verifier,
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        idTokenExpected: true,
      });
      const formerHash = attempt.former === undefined ? undefined : Buffer.from(attempt.former, 'base64url');
      const claims = tokens.claims()!;
      const session = typeof claims['sid'] === 'string' ? claims['sid'] : undefined;
      return { identity: this.#identityOf(claims), to: attempt.to, formerHash, session };
    } catch (cause) {
      if (cause instanceof OpenIdRefusal) throw cause;
      throw new OpenIdRefusal('unconfirmed', { cause });
    }
  }

  #seal(attempt: Attempt): string {
    return sealCookie(this.#master, attemptContext, attempt);
  }

  #identityOf(claims: client.IDToken): ProvenIdentity {
    const { iss: issuer, sub: subject, email, email_verified: isVerified, name } = claims;
    // The address becomes the name of an account, and stays in the audit log forever: people must not be able to choose
    // another person's address.
    const counts = isVerified === true || (isVerified === undefined && this.settings.trustEmail);
    if (typeof email !== 'string' || email.length > emailLengthMax || !isEmail(email) || !counts) {
      throw new OpenIdRefusal('noEmail', { who: { issuer, subject, email: undefined } });
    }
    const claim = claims[this.settings.rolesClaim];
    const values = (Array.isArray(claim) ? claim : [claim]).filter((value) => typeof value === 'string');
    const shown = typeof name === 'string' ? writableName(name) : '';
    return { issuer, subject, email: emailName(email), name: shown === '' ? writableName(email) : shown, values };
  }

  /**
   * Verifies a log-out token of the provider.
   *
   * @throws LogOutTokenError, or OpenIdRefusal if the provider is unavailable
   */
  async logOut(token: string, nowMs: number): Promise<EndedAtProvider> {
    const { issuer, jwks_uri: keys } = (await this.#discovered()).serverMetadata();
    if (keys === undefined) throw new LogOutTokenError('the provider publishes no keys');
    this.#logOuts ??= new LogOutTokens({ issuer, clientId: this.settings.clientId, keysUrl: new URL(keys) });
    return this.#logOuts.verify(token, nowMs);
  }

  /** The provider's discovery document, fetched once; after a failure it is fetched again. */
  #discovered(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    const url = new URL(issuer);
    // Always verifies the signature of the ID token, even if the connection authenticates the provider.
    const execute = [client.enableNonRepudiationChecks, ...(isLoopback(url) ? [client.allowInsecureRequests] : [])];
    const authentication = clientSecret === undefined ? client.None() : client.ClientSecretBasic(clientSecret);
    this.#provider ??= client
      .discovery(url, clientId, undefined, authentication, { execute, timeout: timeoutSeconds })
      .catch((cause: unknown) => {
        this.#provider = undefined;
        throw new OpenIdRefusal('unreachable', { cause });
      });
    return this.#provider;
  }
}

/** Maps the values of the claim to roles by workspace id. Unknown workspaces are left out. */
export function rolesFrom(
  values: readonly string[],
  mappings: readonly RoleMapping[],
  idOf: (workspace: string) => string | undefined,
): Roles {
  const granted = mappings.filter(({ value }) => values.includes(value));
  const known = granted.flatMap(({ role, workspace }) => {
    const id = workspace === everywhere ? everywhere : idOf(workspace);
    return id === undefined ? [] : [{ id, role }];
  });
  const byWorkspace = Map.groupBy(known, ({ id }) => id);
  return Object.fromEntries([...byWorkspace].map(([id, roles]) => [id, [...new Set(roles.map(({ role }) => role))]]));
}

/** Shortens a name to our limits; the provider may also send none. */
function writableName(name: string): string {
  return name
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .slice(0, nameLengthMax)
    .trim();
}

/** A provider on the same machine may use plain HTTP, because no one can listen in between. */
function isLoopback({ protocol, hostname }: URL): boolean {
  if (protocol !== 'http:') return false;
  return hostname === 'localhost' || (isIP(hostname) !== 0 && classifyAddress(hostname) === 'loopback');
}
