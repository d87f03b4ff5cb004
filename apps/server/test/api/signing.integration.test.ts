import { afterAll, beforeAll, expect, it } from 'vitest';
import { signingSecrets } from '../../src/tenancy/workspaces/signing-secret.ts';
import { managementKit, type ManagementKit, problemOf } from './support/management-kit.ts';

let kit: ManagementKit;
beforeAll(async () => {
  kit = await managementKit();
});
afterAll(() => kit.close());

/** The secrets that sign in this process now, as receivers know them. */
const signing = (): readonly string[] =>
  signingSecrets(kit.deps.registry.byId(kit.workspace.id)!, kit.deps.now()).map(
    (secret) => `whsec_${secret.toString('base64')}`,
  );

it('a rotation shows a new secret, signs with both, and retires the previous one', async () => {
  const [first] = signing();
  expect(await kit.get('webhook/secret')).toEqual({});

  const made = await kit.at('POST', 'webhook/secret/rotate');
  expect(made.statusCode).toBe(201);
  const { signingSecret, beforeUntil }: { signingSecret: string; beforeUntil: string } = made.json();
  expect(signing()).toEqual([signingSecret, first]);
  expect(await kit.get('webhook/secret')).toEqual({ beforeUntil });

  expect(problemOf(await kit.at('POST', 'webhook/secret/rotate')).code).toBe('state.conflict');
  expect((await kit.at('POST', 'webhook/secret/retire')).statusCode).toBe(204);
  expect((await kit.at('POST', 'webhook/secret/retire')).statusCode).toBe(204);
  expect(signing()).toEqual([signingSecret]);
  expect(await kit.get('webhook/secret')).toEqual({});
});

it('a leaked secret is replaced immediately', async () => {
  const made = await kit.at('POST', 'webhook/secret/rotate', { body: { overlapHours: 0 } });
  expect(made.json()).toEqual({ signingSecret: signing()[0] });
  expect(signing()).toHaveLength(1);
});

it('the overlap ends automatically', async () => {
  const made = await kit.at('POST', 'webhook/secret/rotate', { body: { overlapHours: 2 } });
  expect(signing()).toHaveLength(2);
  kit.pass(2 * 3_600_000 + 1_000);
  expect(signing()).toEqual([made.json<{ signingSecret: string }>().signingSecret]);
  expect(await kit.get('webhook/secret')).toEqual({});
  kit.pass(-2 * 3_600_000 - 1_000);
});

it.each([-1, 1.5, 337, '24'])('an overlap of %j hours is refused', async (overlapHours) => {
  const refused = await kit.at('POST', 'webhook/secret/rotate', { body: { overlapHours } });
  expect(problemOf(refused).errors).toMatchObject([
    { pointer: '/overlapHours', expected: 'a whole number of hours from 0 to 336' },
  ]);
});
