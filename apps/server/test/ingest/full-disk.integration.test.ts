/** A database that answers but stores nothing: events get 503, and load balancers see "not ready" within seconds. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Health, healthPlugin } from '../../src/platform/observability/health.ts';
import { LogHealth } from '../../src/platform/observability/log-health.ts';
import { patience } from '../../../../tools/testing/patience.ts';
import { makeInstallation, type Installation } from '../support/installation.ts';
import { type DoorKit, doorKit, operation } from './support/door-kit.ts';

let home: Installation;
let kit: DoorKit;
let nowMs = 0;
const changes: string[] = [];

beforeAll(async () => {
  home = await makeInstallation();
  const now = (): number => nowMs;
  const logHealth = new LogHealth({ log: home.log, monotonicMs: now });
  const health = new Health({
    checks: [
      { name: 'database', isWell: async () => (await home.pool.query('select 1')).rowCount === 1 },
      { name: 'log', isWell: () => logHealth.isWell() },
    ],
    monotonicMs: now,
    onChange: ({ check, well }) => changes.push(`${check} ${well}`),
  });
  kit = await doorKit({
    append: (...what) => home.log.append(...what),
    deps: { logHealth, plugins: [healthPlugin(health)] },
  });
  await home.log.createPartition(kit.workspace.id);
  // PostgreSQL's error when a table cannot grow. The server keeps answering.
  await home.pool.query(`
    create function disk_is_full() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`);
});
afterAll(() => Promise.all([kit.app.close(), home.close()]));

async function readiness(): Promise<readonly [number, unknown]> {
  nowMs += 500;
  const answer = await kit.app.inject({ url: '/readyz' });
  return [answer.statusCode, answer.json()];
}

/** On a busy machine an append may time out, so the setup polls until one is stored. */
const sent = async (): Promise<number> => (await kit.post('operation', operation)).statusCode;

it('the service is not ready while the disk is full, and ready again once an append is stored', async () => {
  await expect.poll(sent, patience).toBe(200);
  await home.pool.query(
    'create trigger full_disk before update on log_partition for each row execute function disk_is_full()',
  );
  expect(await sent()).toBe(503);
  expect(await readiness()).toEqual([200, { status: 'ready', checks: { database: 'well', log: 'well' } }]);
  nowMs += 5_000;
  expect(await sent()).toBe(503);
  const notReady = [503, { status: 'notReady', checks: { database: 'well', log: 'failed' } }];
  expect(await readiness()).toEqual(notReady);
  expect(await readiness()).toEqual(notReady);

  // From here on no events are sent.
  await home.pool.query('drop trigger full_disk on log_partition');
  await expect.poll(readiness, patience).toEqual([200, { status: 'ready', checks: { database: 'well', log: 'well' } }]);
  expect((await home.log.read(kit.workspace.id, 0, 10)).at(-1)?.kind).toBe('tick');
  expect(changes).toEqual(['log false', 'log true']);
});
