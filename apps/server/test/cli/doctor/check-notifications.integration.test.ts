import { expect, it, onTestFinished } from 'vitest';
import { checkNotifications } from '../../../src/cli/doctor/check-notifications.ts';
import type { OpenInstallation } from '../../../src/cli/open-installation.ts';
import { createDestination, type WrittenAddress } from '../../../src/notifications/destinations.ts';
import { createWorkspace } from '../../../src/tenancy/workspaces/workspace-store.ts';
import { makeInstallation } from '../../support/installation.ts';

const settings = { events: {}, digestMinutes: 0, recovery: true, showPersonal: false, language: 'en' } as const;

it('destinations that cannot be reached are named, with what mends them', async () => {
  const home = await makeInstallation();
  onTestFinished(() => home.close());
  const { workspace } = await createWorkspace(home.deps, { name: 'acme', environment: 'production' });
  const under = (mail: object | undefined): OpenInstallation =>
    ({ ...home, ...home.deps, configuration: { mail } }) as unknown as OpenInstallation;
  const add = (name: string, address: WrittenAddress) =>
    createDestination(home.deps.pool, workspace, {
      ...address,
      name,
      settings,
      by: 'test',
      nowMs: Date.now(),
      rules: { allow: [], hasMail: true },
    });
  const found = async (mail?: object): Promise<readonly string[]> =>
    (await checkNotifications(under(mail))).map(({ state, detail }) => `${state}: ${detail}`);
  expect(await found()).toEqual(['good: 0 destinations']);

  await add('desk', { kind: 'email', to: ['desk@bank.example'] });
  const { id } = await add('chat', { kind: 'slack', url: 'https://hooks.example/x' });
  expect(await found()).toEqual(['bad: acme/production, desk: there is no mail server']);
  expect(await found({})).toEqual(['good: 2 destinations']);
  await home.deps.pool.query(`insert into notification_endpoint (destination, state) values ($1, 'open')`, [id]);
  await home.deps.pool.query(
    `insert into notification (id, workspace_id, destination, kind, made_at, due_at, expires_at, failure)
     values ('ntf_abcdefghijklmnopqrst', $1, $2, 'slack', now(), now(), now(), 'refused')`,
    [workspace.id, id],
  );
  expect(await found({})).toEqual(['bad: acme/production, chat fails, last because of "refused": its messages wait']);
  await home.deps.pool.query(`update notification_destination set paused_at = now() where id = $1`, [id]);
  expect(await found({})).toEqual(['unwise: acme/production, chat is paused']);
});
