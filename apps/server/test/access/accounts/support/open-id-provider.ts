import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { OpenIdSettings } from '../../../../src/access/accounts/open-id.ts';

/** The person at the browser, as the provider knows them. */
export interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: readonly string[] | string;
  /** What the provider calls its session. */
  readonly sid?: string;
}

/** An OpenID provider on loopback: discovery, keys, authorization code with PKCE, signed ID tokens. */
export interface Provider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The person who is logged in at the provider. */
  person: Person;
  /** Makes the provider's answer invalid. */
  spoil: 'nothing' | 'denied' | 'refused' | 'broken' | 'nonce' | 'audience' | 'signature' | 'expired' | 'issuer';
  /** A log-out token with these claims; `undefined` leaves one out. */
  logOutToken(claims?: Readonly<Record<string, unknown>>, key?: 'own' | 'another'): Promise<string>;
  close(): Promise<void>;
}

interface Grant {
  readonly challenge: string;
  readonly nonce: string;
  readonly redirectUri: string;
  readonly person: Person;
}

export async function openIdProvider(): Promise<Provider> {
  const clientId = 'ringfence';
  const clientSecret = 'a secret of the client';
  const keys = await generateKeyPair('RS256');
  const others = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  /** Each code is valid once. */
  const grants = new Map<string, Grant>();
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: Provider = {
    issuer,
    clientId,
    clientSecret,
    person: { sub: 'nobody' },
    spoil: 'nothing',
    logOutToken: (claims = {}, key = 'own') => {
      const all = {
        iss: issuer,
        aud: clientId,
        iat: Math.floor(Date.now() / 1_000),
        jti: randomUUID(),
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
        ...claims,
      };
      return new SignJWT(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)))
        .setProtectedHeader({ alg: 'RS256', kid: 'one', typ: 'logout+jwt' })
        .sign(key === 'own' ? keys.privateKey : others.privateKey);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, issuer);
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return json(response, 200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          code_challenge_methods_supported: ['S256'],
        });
      case '/keys':
        return json(response, 200, { keys: [jwk] });
      case '/authorize':
        return authorize(url.searchParams, response);
      case '/token':
        return token(request, response);
      default:
        return json(response, 404, {});
    }
  }

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const [challenge, nonce, redirectUri] = ['code_challenge', 'nonce', 'redirect_uri'].map((name) => query.get(name));
    const isWhole = challenge && nonce && redirectUri && query.get('code_challenge_method') === 'S256';
    if (!isWhole || query.get('client_id') !== clientId) return json(response, 400, { error: 'invalid_request' });
    if (provider.spoil === 'denied') return deny(redirectUri, query.get('state') ?? '', response);
    const code = randomUUID();
    grants.set(code, { challenge, nonce, redirectUri, person: provider.person });
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    response.writeHead(302, { location: back.href }).end();
  }

  function deny(redirectUri: string, state: string, response: ServerResponse): void {
    const back = new URL(redirectUri);
    back.search = new URLSearchParams({ error: 'access_denied', error_description: 'not today', state }).toString();
    response.writeHead(302, { location: back.href }).end();
  }

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = new URLSearchParams(await text(request));
    const credentials = Buffer.from((request.headers.authorization ?? '').replace('Basic ', ''), 'base64').toString();
    const [id, secret] = credentials.split(':').map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
    const grant = grants.get(body.get('code') ?? '');
    grants.delete(body.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    if (id !== clientId || secret !== clientSecret) return json(response, 401, { error: 'invalid_client' });
    if (grant?.challenge !== challenge || grant.redirectUri !== body.get('redirect_uri')) {
      return json(response, 400, { error: 'invalid_grant' });
    }
    const { spoil } = provider;
    if (spoil === 'refused')
      return json(response, 400, { error: 'invalid_client', error_description: 'no such client' });
    if (spoil === 'broken') return json(response, 500, {});
    const idToken = await new SignJWT({ ...grant.person, nonce: spoil === 'nonce' ? 'another' : grant.nonce })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer(spoil === 'issuer' ? 'https://evil.example' : issuer)
      .setAudience(spoil === 'audience' ? 'another client' : clientId)
      .setIssuedAt()
      .setExpirationTime(spoil === 'expired' ? '-5m' : '5m')
      .sign(spoil === 'signature' ? others.privateKey : keys.privateKey);
    return json(response, 200, { access_token: randomUUID(), token_type: 'Bearer', id_token: idToken });
  }

  return provider;
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** The service's settings for it. */
export function settingsOf(
  { issuer, clientId, clientSecret }: Provider,
  roles: OpenIdSettings['roles'],
): OpenIdSettings {
  return {
    name: 'Bank log-in',
    issuer,
    clientId,
    clientSecret,
    scope: 'openid profile email',
    trustEmail: false,
    rolesClaim: 'groups',
    only: false,
    roles,
  };
}
