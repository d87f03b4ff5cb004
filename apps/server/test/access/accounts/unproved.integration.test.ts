/** A caller who cannot authenticate writes nothing to the database except the required entries of the audit log. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { totpCode } from '../../../src/access/accounts/totp.ts';
import { managementKit, type ManagementKit, problemOf } from '../../api/support/management-kit.ts';
import { browser, loggedIn, password, type Browser } from './support/browser.ts';

let kit: ManagementKit;
let mara: Browser;

beforeAll(async () => {
  kit = await managementKit();
  await loggedIn(kit, { email: 'mara@bank.example', roles: ['analyst'] });
  kit.standStill();
});

beforeEach(async () => {
  // Resets the rate limit of earlier failures.
  kit.pass(10 * 60_000);
  mara = browser(kit);
  await mara.call('POST', '/session', { body: { email: 'mara@bank.example', password } });
});

afterAll(() => kit.close());

/** Number of intents written so far, including those of refused changes. */
async function notes(): Promise<unknown> {
  const found = await kit.pool.query<object>(
    `select last_value from pg_sequences where sequencename = 'audit_intent_id_seq'`,
  );
  return found.rows;
}

it.each([
  ['/session', { email: 'mara@bank.example', password: 'not it' }],
  ['/session', { email: 'nobody@bank.example', password }],
  ['/session/first', { token: 'guessed', email: 'eva@bank.example', name: 'Eva', password }],
  ['/session/invitation', { token: 'guessed', password }],
])('an unauthenticated caller of %s writes no intent', async (path, body) => {
  const before = await notes();
  const remoteAddress = '198.51.100.20';
  for (let i = 0; i < 12; i++) {
    const refused = await browser(kit).call('POST', path, { body, remoteAddress });
    expect(refused.statusCode).toBeGreaterThanOrEqual(400);
  }
  expect(await notes()).toEqual(before);
});

const wrong = { password: 'not it' };
it.each([
  { operation: 'changePassword', path: '/session/password', body: { ...wrong, newPassword: `another ${password}` } },
  { operation: 'beginSecondFactor', path: '/session/second-factor', body: wrong },
  { operation: 'removeSecondFactor', path: '/session/second-factor/remove', body: wrong },
])('a wrong password for $operation writes no intent, but an audit entry', async ({ operation, path, body }) => {
  const method = operation === 'changePassword' ? 'PUT' : 'POST';
  const before = await notes();
  for (let i = 0; i < 13; i++) {
    const refused = problemOf(await mara.call(method, path, { body }));
    expect(refused.code).toBe(i < 10 ? 'login.refused' : 'rate.limited');
  }
  expect(await notes()).toEqual(before);
  expect(await refusedOf(operation)).toEqual([
    { actor: 'mara@bank.example', kind: 'person', why: 'login.refused', entries: 10 },
    { actor: 'mara@bank.example', kind: 'person', why: 'rate.limited', entries: 1 },
  ]);
});

it('a wrong first code of a second factor writes an audit entry', async () => {
  expect((await mara.call('POST', '/session/second-factor', { body: { password } })).statusCode).toBe(201);
  for (let i = 0; i < 11; i++) {
    await mara.call('POST', '/session/second-factor/confirm', { body: { code: wrongCode() } });
  }
  expect(await refusedOf('confirmSecondFactor')).toMatchObject([
    { why: 'login.refused', entries: 10 },
    { why: 'rate.limited', entries: 1 },
  ]);
});

/** A code of an unrelated secret. */
function wrongCode(): string {
  return totpCode(Buffer.alloc(20), 1);
}

async function refusedOf(operation: string): Promise<readonly object[]> {
  const found = await kit.pool.query<object>(
    `select actor, actor_kind as kind, detail::json ->> 'why' as why, count(*)::integer as entries from audit_entry
      where action = 'proof.refused' and detail::json ->> 'operation' = $1 group by 1, 2, 3 order by 3`,
    [operation],
  );
  return found.rows;
}
