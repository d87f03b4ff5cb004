/** One service over two databases, each on its own server: the home database, and another for the workspace `harbor`. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { crashPolicy, markedCategory } from '../harness/bank.ts';
import { login, operation } from '../harness/event-bodies.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
import { writeInstallation } from '../harness/installation.ts';
import { Management } from '../harness/management.ts';
import { connectTo, startPostgres } from '../harness/postgres.ts';
import { licenseKey } from '../harness/scene.ts';
import { startService } from '../harness/service.ts';
import { temporaryHome } from '../harness/temporary-home.ts';
import { startWebhookReceiver } from '../harness/webhook-receiver.ts';

const harborKey = `north-license-key-${'3'.repeat(20)}`;

it('serves the workspaces of two databases, and those of one while the other is away', async () => {
  const home = await temporaryHome('databases');
  const receiver = await startWebhookReceiver();
  const servers = {
    home: await startPostgres(join(home.path, 'one')),
    north: await startPostgres(join(home.path, 'two')),
  };
  const [port, managementPort] = [await freePort(), await freePort()];
  const plan = { home: home.path, database: 'external', port, managementPort, licenseKey } as const;
  const configFile = await writeInstallation({
    ...plan,
    webhookUrl: receiver.url,
    policy: crashPolicy,
    north: { licenseKey: harborKey },
  });
  const env = {
    DATABASE_URL: servers.home.databaseUrl,
    NORTH_DATABASE_URL: servers.north.databaseUrl,
    RINGFENCE_MASTER_KEY: randomBytes(32).toString('base64'),
  };
  const options = { configFile, port, managementPort, env };
  let service = await startService(options);
  onTestFinished(async () => {
    await service.stop();
    await servers.home.stop();
    await servers.north.stop();
    await receiver.close();
    await home.remove();
  });
  const tell = async (key: string, kind: string, body: object): Promise<{ status: number; id: string }> => {
    const response = await fetch(`${service.url}/api/v5/analytics/app/${kind}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { id = '' } = (await response.json()) as { id?: string };
    return { status: response.status, id };
  };
  const checks = async (): Promise<unknown> => {
    const response = await fetch(`${service.url}/readyz`);
    return { status: response.status, ...((await response.json()) as { checks: object }).checks };
  };
  const banks = {
    bank: { key: licenseKey, management: new Management(service.managementUrl) },
    harbor: { key: harborKey, management: new Management(service.managementUrl, 'harbor:production') },
  };
  let visits = 0;
  const visit = async (of: keyof typeof banks): Promise<void> => {
    const { key, management } = banks[of];
    const session = `${of}-${++visits}`;
    const who = { client: `client-of-${of}`, session };
    expect(await tell(key, 'login', login(who))).toMatchObject({ status: 200 });
    const marked = operation({ ...who, reference: session, category: markedCategory });
    const { status, id } = await tell(key, 'operation', marked);
    expect(status).toBe(200);
    await eventually(`${session} is decided and its action executed`, 10_000, async () => {
      const actions = await management.actions();
      return actions.some(({ event, state }) => event === id && state === 'executed') ? true : undefined;
    });
    expect(await management.event(id)).toMatchObject({ matched: true });
  };

  await visit('bank');
  await visit('harbor');
  expect(await checks()).toEqual({ status: 200, databases: 'well', home: 'well', north: 'well' });
  expect(await namesIn(servers.home.databaseUrl)).toEqual(['bank']);
  expect(await namesIn(servers.north.databaseUrl)).toEqual(['harbor']);

  await servers.north.stop();
  expect(await tell(harborKey, 'login', login({ client: 'a', session: 'b' }))).toMatchObject({ status: 503 });
  await visit('bank');
  await eventually('the database is missed', 5_000, async () =>
    JSON.stringify(await checks()).includes('"north":"impaired"') ? true : undefined,
  );
  expect(await checks()).toEqual({ status: 200, databases: 'well', home: 'well', north: 'impaired' });

  // A start without it: its keys are not known, so none is refused as wrong.
  expect(await service.stop()).toMatchObject({ code: 0 });
  service = await startService(options);
  await visit('bank');
  expect(await tell(harborKey, 'login', login({ client: 'a', session: 'b' }))).toMatchObject({ status: 503 });
  expect((await banks.harbor.management.request('GET', 'events')).status).toBe(503);

  servers.north = await startPostgres(join(home.path, 'two'));
  await eventually('its events are taken again', 15_000, async () =>
    (await tell(harborKey, 'login', login({ client: 'a', session: 'b' }))).status === 200 ? true : undefined,
  );
  await visit('harbor');
});

/** The workspaces with events in a database. */
async function namesIn(databaseUrl: string): Promise<readonly string[]> {
  const client: Client = await connectTo(databaseUrl);
  try {
    const { rows } = await client.query<{ name: string }>(
      `select distinct w.name from event e join workspace w on w.id = e.workspace_id
        union select name from workspace order by name`,
    );
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
}
