/** Tokens of the management API: every operation with every scope, workspaces, ends, and what the audit log says. */
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everywhere } from '../../src/access/accounts/roles.ts';
import { createToken, tokenDaysDefault } from '../../src/access/tokens/api-tokens.ts';
import { type Scope, scopeNames } from '../../src/access/tokens/scopes.ts';
import { managementDocument } from '../../src/api/openapi/document.ts';
import { managementRoutes } from '../../src/api/routes.ts';
import { isStreamAuthorized } from '../../src/api/server/stream-authorization.ts';
import { login, managementKit, type ManagementKit, problemOf } from './support/management-kit.ts';

let kit: ManagementKit;
let otherId: string;
/** The text of a token with exactly this scope, in the kit's workspace. */
const texts = new Map<Scope, string>();
let made = 0;

beforeAll(async () => {
  kit = await managementKit();
  kit.standStill();
  otherId = (await kit.addWorkspace()).id;
  await kit.deps.registry.refresh();
  for (const scope of scopeNames) texts.set(scope, await tokenWith([scope]));
});
afterAll(() => kit.close());

async function tokenWith(scopes: readonly Scope[], workspaces = [kit.workspace.id], days = 1): Promise<string> {
  const { pool, now } = kit.deps;
  const name = `token-${++made}`;
  return (await createToken(pool, { name, scopes, workspaces, days, createdBy: 'test', nowMs: now() })).text;
}

function ask(text: string, method: string, path: string): Promise<LightMyRequestResponse> {
  return kit.call(method, path, { headers: { authorization: `Bearer ${text}` } });
}

/** Every operation of the document, with the scope that the document names for it. */
interface Documented {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly scope: string | undefined;
  /** Reserved for people about their own account, or open to all. */
  readonly isOfSessions: boolean;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

const document = managementDocument(managementRoutes.map(({ operation }) => operation)) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
};
const documented: readonly Documented[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, security }]) => ({
    id: operationId,
    method: method.toUpperCase(),
    path: path.replace('/management/v1', ''),
    scope: security.find(({ token }) => token !== undefined)?.['token']?.[0],
    isOfSessions: !security.some(({ adminToken }) => adminToken !== undefined),
  })),
);

/** A query that no operation accepts: a caller who passes authorization gets an error about it and changes nothing. */
async function codeOf(text: string, { method, path }: Documented, workspaceId: string): Promise<string> {
  const filled = path.replace('{workspace}', workspaceId).replaceAll(/\{\w+\}/g, 'nothing');
  return problemOf(await ask(text, method, `${filled}?nobody-takes-this=1`)).code;
}

describe('every operation of the document', () => {
  it.each(documented.filter(({ isOfSessions }) => !isOfSessions))('$id, with every scope alone', async (operation) => {
    const isOfInstallation = !operation.path.includes('{workspace}') && operation.id !== 'listWorkspaces';
    for (const [scope, text] of texts) {
      const may = scope === operation.scope && !isOfInstallation;
      expect([scope, await codeOf(text, operation, kit.workspace.id)]).toEqual([
        scope,
        may ? 'request.invalid' : 'right.missing',
      ]);
    }
  });

  it.each(documented.filter(({ path }) => path.includes('{workspace}')))(
    '$id does not exist in a workspace that is not the token’s',
    async (operation) => {
      const all = await tokenWith(scopeNames);
      expect(await codeOf(all, operation, otherId)).toBe('thing.unknown');
    },
  );

  it('accepts a token for all workspaces, also for the installation', async () => {
    const all = await tokenWith(scopeNames, [everywhere]);
    for (const operation of documented.filter(({ scope }) => scope !== undefined)) {
      expect([operation.id, await codeOf(all, operation, otherId)]).toEqual([operation.id, 'request.invalid']);
    }
  });

  it('reserves for people and the admin token: accounts, sessions, tokens, approvals, second decisions, stored searches', () => {
    const reserved = managementRoutes.flatMap(({ operation: { id, tag } }) =>
      documented.some((one) => one.id === id && one.scope === undefined) ? [{ id, tag }] : [],
    );
    expect(reserved.filter(({ tag }) => !['accounts', 'session', 'tokens'].includes(tag))).toEqual([
      { id: 'activatePolicyInEmergency', tag: 'policies' },
      { id: 'approvePolicyRequest', tag: 'policies' },
      { id: 'refusePolicyRequest', tag: 'policies' },
      { id: 'answerHoldDecision', tag: 'holds' },
      { id: 'addEventView', tag: 'events' },
      { id: 'changeEventView', tag: 'events' },
      { id: 'removeEventView', tag: 'events' },
    ]);
  });

  it('has an operation for every scope but the one that shows personal data', () => {
    const used = new Set(documented.map(({ scope }) => scope));
    expect(scopeNames.filter((scope) => !used.has(scope))).toEqual(['personal:read']);
  });
});

describe('a token', () => {
  it('is created by an administrator with its text shown once, listed, used, and revoked', async () => {
    const body = { name: 'nightly', scopes: ['lists:read', 'events:read'], workspaces: [kit.workspace.id] };
    const created = await kit.call('POST', '/tokens', { body });
    expect(created.statusCode).toBe(201);
    const token = created.json<{ readonly id: string; readonly text: string; readonly hint: string }>();
    expect(token).toMatchObject({
      ...body,
      scopes: ['events:read', 'lists:read'],
      text: expect.stringMatching(/^rf_token_[0-9A-Za-z]{49}$/),
      createdBy: 'admin token',
      expiresAt: new Date(kit.deps.now() + tokenDaysDefault * 86_400_000).toISOString(),
    });
    expect(token.hint).toBe(`rf_token_…${token.text.slice(-4)}`);

    expect((await ask(token.text, 'GET', `/workspaces/${kit.workspace.id}/lists`)).statusCode).toBe(200);
    const listed = (await kit.call('GET', '/tokens')).body;
    expect(listed).not.toContain(token.text);
    const items = (JSON.parse(listed) as { readonly items: readonly { readonly id: string }[] }).items;
    const found = items.find(({ id }) => id === token.id);
    expect(found).toMatchObject({ name: 'nightly', state: 'live', lastUsedAt: expect.any(String) });

    const revoked = await kit.call('POST', `/tokens/${token.id}/revoke`);
    expect(revoked.json()).toMatchObject({ state: 'revoked', revokedAt: expect.any(String) });
    const refused = problemOf(await ask(token.text, 'GET', `/workspaces/${kit.workspace.id}/lists`));
    expect(refused).toMatchObject({ status: 401, code: 'token.invalid' });
    expect(refused.detail).toContain('The token "nightly" was revoked at ');
    const stored = await kit.pool.query<{ row: string }>(`select api_token::text as row from api_token`);
    expect(stored.rows.map(({ row }) => row).join('\n')).not.toContain(token.text);
  });

  it('has a name that is never used again', async () => {
    const body = { name: 'once', scopes: ['events:read'], workspaces: ['*'] };
    const { id } = (await kit.call('POST', '/tokens', { body })).json<{ readonly id: string }>();
    await kit.call('POST', `/tokens/${id}/revoke`);
    expect(problemOf(await kit.call('POST', '/tokens', { body })).code).toBe('state.conflict');
  });

  it('is refused with every wrong member named', async () => {
    const body = { name: 'a b', scopes: ['events:delete'], workspaces: [], days: 1_000 };
    const { code, errors } = problemOf(await kit.call('POST', '/tokens', { body }));
    expect(code).toBe('request.invalid');
    expect(errors?.map(({ pointer }) => pointer)).toEqual(['/name', '/scopes/0', '/workspaces', '/days']);
    const unknown = { name: 'ab', scopes: ['events:read'], workspaces: ['nothing:production'] };
    expect(problemOf(await kit.call('POST', '/tokens', { body: unknown })).code).toBe('thing.unknown');
  });

  it('sees only its own workspaces', async () => {
    const text = await tokenWith(['workspaces:read']);
    const { items } = (await ask(text, 'GET', '/workspaces')).json<{ readonly items: readonly { id: string }[] }>();
    expect(items.map(({ id }) => id)).toEqual([kit.workspace.id]);
  });

  it('gets personal data masked, unless it has the scope and asks; each look is recorded under its name', async () => {
    await kit.send('login', login('ana-maria'));
    const events = `/workspaces/${kit.workspace.id}/events?status=accepted`;
    const masked = await tokenWith(['events:read']);
    expect((await ask(masked, 'GET', events)).body).not.toContain('ana-maria');
    expect(problemOf(await ask(masked, 'GET', `${events}&show=true`)).detail).toContain('personal:read');
    const clear = await tokenWith(['events:read', 'personal:read']);
    expect((await ask(clear, 'GET', events)).body).not.toContain('ana-maria');
    expect((await ask(clear, 'GET', `${events}&show=true`)).body).toContain('ana-maria');
    const entries = await kit.get<{ readonly items: readonly object[] }>('audit?action=personalData.show');
    expect(entries.items).toMatchObject([{ actorKind: 'machine', actor: `token:token-${made}` }]);
  });

  it('makes its changes under its name', async () => {
    const text = await tokenWith(['labels:write']);
    const body = { labels: [{ event: 'evt_1795256130_42', label: 'fraud' }] };
    const path = `/workspaces/${kit.workspace.id}/labels`;
    const headers = { authorization: `Bearer ${text}` };
    expect((await kit.call('POST', path, { body, headers })).statusCode).toBe(202);
    const entries = await kit.get<{ readonly items: readonly object[] }>('audit?action=tellLabels');
    expect(entries.items).toMatchObject([{ actorKind: 'machine', actor: `token:token-${made}` }]);
  });

  it('keeps a stream open until it is revoked', async () => {
    const { pool, now } = kit.deps;
    const wanted = { name: 'stream', scopes: ['events:read'] as const, workspaces: [everywhere], days: 1 };
    const { token } = await createToken(pool, { ...wanted, createdBy: 'test', nowMs: now() });
    const exchange = { caller: { kind: 'token', apiToken: token } } as const;
    const stays = () => isStreamAuthorized(kit.deps, { workspace: kit.workspace, exchange, needs: 'see' });
    expect(await stays()).toBe(true);
    await kit.call('POST', `/tokens/${token.id}/revoke`);
    expect(await stays()).toBe(false);
  });

  it('is refused after its end, and an address with many wrong tokens has to wait', async () => {
    const text = await tokenWith(['lists:read']);
    const path = `/workspaces/${kit.workspace.id}/lists`;
    expect((await ask(text, 'GET', path)).statusCode).toBe(200);
    kit.pass(86_400_000);
    const ended = problemOf(await ask(text, 'GET', path));
    expect(ended).toMatchObject({ code: 'token.invalid', detail: expect.stringContaining(' ended at ') });
    const headers = { authorization: `Bearer ${text.slice(0, -1)}x` };
    for (let tries = 0; tries < 20; tries++) await kit.call('GET', '/tokens', { headers, remoteAddress: '192.0.2.99' });
    const waits = problemOf(await kit.call('GET', '/tokens', { headers, remoteAddress: '192.0.2.99' }));
    expect(waits.code).toBe('rate.limited');
  });
});
