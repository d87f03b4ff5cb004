/** A page that stays open for minutes has its current rights, not those from when it was opened. */
import { assert } from '@ringfence/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sessionTokenOf } from '../../src/access/accounts/session-cookie.ts';
import { findSession } from '../../src/access/accounts/sessions.ts';
import { isStreamAuthorized } from '../../src/api/server/stream-authorization.ts';
import { loggedIn } from '../access/accounts/support/browser.ts';
import { managementKit, type ManagementKit } from './support/management-kit.ts';

let kit: ManagementKit;

beforeAll(async () => {
  kit = await managementKit();
});
afterAll(() => kit.close());

it('a stream continues as long as the session has the right that it needs', async () => {
  const analyst = await loggedIn(kit, { email: 'anna@bank.example', roles: ['analyst'] });
  const token = sessionTokenOf(analyst.cookie);
  assert(token !== undefined, 'a browser that is logged in has the cookie of its session');
  const session = await findSession(kit.deps.pool, token, { nowMs: kit.deps.now(), isUse: false });
  assert(session !== undefined, 'its session is open');
  const exchange = { caller: { kind: 'person', session, token } } as const;
  const stays = (needs: 'see' | 'show'): Promise<boolean> =>
    isStreamAuthorized(kit.deps, { workspace: kit.workspace, exchange, needs });
  expect([await stays('show'), await stays('see')]).toEqual([true, true]);

  const grants = [{ workspace: kit.workspace.id, roles: ['viewer'] }];
  const changed = await kit.call('PATCH', `/accounts/${session.account.id}`, { body: { roles: grants } });
  expect(changed.statusCode).toBe(200);
  expect([await stays('show'), await stays('see')]).toEqual([false, true]);
  await kit.call('POST', `/accounts/${session.account.id}/sessions/end`);
  expect(await stays('see')).toBe(false);
});
