import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorkspace } from '../../src/tenancy/workspaces/workspace-store.ts';
import { managementKit, type ManagementKit, problemOf } from './support/management-kit.ts';

interface Key {
  readonly id: string;
  readonly state: string;
  readonly hint: string;
}

let kit: ManagementKit;
beforeAll(async () => {
  kit = await managementKit();
});
afterAll(() => kit.close());

async function keys(): Promise<readonly Key[]> {
  return (await kit.get<{ items: Key[] }>('keys')).items;
}

const takes = (text: string): boolean =>
  kit.deps.registry.authenticate(text, 'production')?.workspace.id === kit.workspace.id;

it('a rotation creates a second key, promotes it, and revokes the first', async () => {
  const [before] = await keys();
  expect(before).toMatchObject({ state: 'sent', origin: 'generated', hint: expect.stringMatching(/^rf_live_…\w{4}$/) });

  const made = await kit.at('POST', 'keys');
  expect(made.statusCode).toBe(201);
  const { id, text }: { id: string; text: string } = made.json();
  expect(takes(text)).toBe(true);
  expect((await keys()).map(({ state }) => state)).toEqual(['sent', 'live']);
  expect(problemOf(await kit.at('POST', 'keys')).code).toBe('state.conflict');
  expect(problemOf(await kit.at('POST', `keys/${before!.id}/revoke`)).code).toBe('state.conflict');

  expect((await kit.at('POST', `keys/${id}/promote`)).statusCode).toBe(204);
  expect(kit.deps.registry.sendingKey(kit.workspace.id)).toBe(text);
  expect((await kit.at('POST', `keys/${id}/promote`)).statusCode).toBe(204);
  expect((await kit.at('POST', `keys/${before!.id}/revoke`)).statusCode).toBe(204);
  expect((await kit.at('POST', `keys/${before!.id}/revoke`)).statusCode).toBe(204);
  expect(await keys()).toMatchObject([
    { state: 'revoked', revokedAt: expect.any(String) },
    { id, state: 'sent' },
  ]);
  expect(problemOf(await kit.at('POST', `keys/${before!.id}/promote`)).code).toBe('state.conflict');
});

it('the key that is sent is revoked only by force; then no key is accepted', async () => {
  const last = (await keys()).at(-1)!;
  expect(problemOf(await kit.at('POST', `keys/${last.id}/revoke`, { body: { force: 'yes' } })).errors).toMatchObject([
    { pointer: '/force', expected: 'true or false' },
  ]);
  expect((await kit.at('POST', `keys/${last.id}/revoke`, { body: { force: true } })).statusCode).toBe(204);
  expect(kit.deps.registry.sendingKey(kit.workspace.id)).toBeUndefined();
  expect(problemOf(await kit.at('POST', 'webhook/test')).detail).toContain('no license key');
});

it('a supplied key is accepted once, and never shown again', async () => {
  const text = 'the-key-that-the-bank-has-had-for-years-already';
  const made = await kit.at('POST', 'keys', { body: { text } });
  expect(made.json()).toMatchObject({ text, origin: 'brought' });
  expect(takes(text)).toBe(true);
  expect((await kit.at('GET', 'keys')).body).not.toContain(text);
  expect(problemOf(await kit.at('POST', 'keys', { body: { text } })).code).toBe('state.conflict');
});

it.each([['short'], ['x'.repeat(513)], ['rf_live_a-typing-mistake-in-a-key-of-ours-00']])(
  'a key like %s is refused, without being repeated',
  async (text) => {
    const response = await kit.at('POST', 'keys', { body: { text } });
    expect(problemOf(response).code).toBe('request.invalid');
    expect(response.body).not.toContain(text);
  },
);

it('a declared key can be revoked, because it may have leaked', async () => {
  const owners = { settings: 'config', keys: 'config', policy: 'config' } as const;
  const { workspace, keys } = await createWorkspace(kit.deps, { name: 'filed', environment: 'production', owners });
  const path = `/workspaces/${workspace.id}/keys/${keys[0]!.id}`;
  expect(problemOf(await kit.call('POST', `${path}/promote`)).code).toBe('owner.config');
  expect((await kit.call('POST', `${path}/revoke`, { body: { force: true } })).statusCode).toBe(204);
});

it.each(['promote', 'revoke'])('an unknown key cannot be %sd', async (change) => {
  expect(problemOf(await kit.at('POST', `keys/key_nothing/${change}`)).code).toBe('thing.unknown');
});
