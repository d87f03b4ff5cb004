/** What is kept for a stream that is behind, what is said of it, and how it is sent again. */
import { dayMs, hourMs } from '@ringfence/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { patience } from '../../../../tools/testing/patience.ts';
import { checkStreams } from '../../src/cli/doctor/check-streams.ts';
import { removeLive } from '../../src/console/live/live-log.ts';
import { beforeStreams } from '../../src/decide/retention/wait-for-streams.ts';
import { applyPolicy } from '../../src/policies/policy-store.ts';
import { rewindStream } from '../../src/streams/rewind.ts';
import { noteState, noteThrough, prepareCursors, readCursors } from '../../src/streams/stream-cursors.ts';
import { streamKinds, type StreamSettings } from '../../src/streams/stream-settings.ts';
import { login, payment } from '../api/support/management-kit.ts';
import { consoleKit, type ConsoleKit } from '../console/support/console-kit.ts';

const settings: StreamSettings = {
  name: 'lake',
  of: streamKinds,
  workspaces: undefined,
  personalData: 'masked',
  target: { kind: 'folder', folder: '/lake', format: 'ndjson', everyMs: hourMs },
};
const policy = 'rules: [{ reason: 900, name: large, when: order.amount > 100, then: { action: 3, message: large } }]';

let kit: ConsoleKit;

beforeAll(async () => {
  kit = await consoleKit();
  const files = [{ path: 'rules.yaml', text: policy }];
  await applyPolicy(kit.deps, kit.workspace.id, { files, author: 'test', comment: '', actor: 'api' });
  await kit.deps.registry.refresh();
  await kit.send('login', login('ana'));
  await kit.send('operation', { ...payment('ana'), order: { amount: 150, currency: 'MXN' } });
  await kit.fed();
}, patience.timeout * 2);
afterAll(() => kit.close());

beforeEach(async () => {
  await kit.pool.query('delete from stream');
  await prepareCursors(kit.pool, settings, [kit.workspace.id]);
});

/** All cursors have sent everything up to a time. */
async function sentUntil(throughMs: number): Promise<void> {
  await noteThrough(kit.pool, 'lake', { cursors: await readCursors(kit.pool, 'lake'), throughMs });
}

describe('retention', () => {
  const said: { fields: object; message: string }[] = [];
  const say = (fields: object, message: string): void => void said.push({ fields, message });
  const before = (beforeMs: number): Promise<number> =>
    beforeStreams({ pool: kit.pool, logger: { info: say, warn: say, error: say } }, kit.workspace.id, beforeMs);
  beforeEach(() => said.splice(0));

  it('removes by age alone what has left, and without streams', async () => {
    const nowMs = Date.now();
    await sentUntil(nowMs);
    expect(await before(nowMs - dayMs)).toBe(nowMs - dayMs);
    expect(await before(-Infinity)).toBe(-Infinity);
    await kit.pool.query('delete from stream');
    expect(await before(nowMs)).toBe(nowMs);
  });

  it('waits for a stream that is behind, and not for one that no process runs', async () => {
    const nowMs = Date.now();
    await sentUntil(nowMs - 3 * dayMs);
    expect(await before(nowMs - dayMs)).toBe(nowMs - 3 * dayMs - hourMs);
    expect(said).toEqual([]);
    await kit.pool.query(`update stream set looked_at = now() - interval '2 days'`);
    expect(await before(nowMs - dayMs)).toBe(nowMs - dayMs);
  });

  it('waits seven days, and then says what was lost', async () => {
    const nowMs = Date.now();
    await sentUntil(nowMs - 30 * dayMs);
    expect(await before(nowMs - dayMs)).toBe(nowMs - 8 * dayMs);
    expect(said.map(({ fields }) => (fields as { kind: string }).kind).toSorted()).toEqual(
      streamKinds.filter((kind) => kind !== 'audit').toSorted(),
    );
    const [finding] = await checkStreams({ pool: kit.pool, configuration: { streams: [settings] } }, nowMs);
    expect(finding).toMatchObject({ detail: expect.stringContaining('lost data') });
  });

  it('keeps changes of alerts until they have left', async () => {
    const changes = async (): Promise<number> => {
      const { rows } = await kit.pool.query<{ n: number }>(
        `select count(*)::integer as n from console_live where kind = 'alert'`,
      );
      return rows[0]!.n;
    };
    const some = await changes();
    expect(some).toBeGreaterThan(0);
    await removeLive(kit.pool, Date.now() + 2 * hourMs);
    expect(await changes()).toBe(some);
    await rewindStream(kit.pool, 'lake', { kind: 'now' });
    await removeLive(kit.pool, Date.now() + 2 * hourMs);
    expect(await changes()).toBe(0);
  });
});

describe('a stream', () => {
  it('is sent again from an instant, or skips what waits', async () => {
    const positions = async (): Promise<Readonly<Record<string, number>>> =>
      Object.fromEntries((await readCursors(kit.pool, 'lake')).map(({ kind, position }) => [kind, position]));
    const begin = await positions();
    await rewindStream(kit.pool, 'lake', { kind: 'now' });
    for (const cursor of await readCursors(kit.pool, 'lake'))
      expect(cursor, cursor.kind).toMatchObject({ isAhead: false });
    await rewindStream(kit.pool, 'lake', { kind: 'at', atMs: Date.now() + dayMs });
    for (const cursor of await readCursors(kit.pool, 'lake'))
      expect(cursor, cursor.kind).toMatchObject({ isAhead: false });
    await rewindStream(kit.pool, 'lake', { kind: 'start' });
    const [first] = (await kit.pool.query<{ offset: number }>(`select min("offset") as "offset" from event`)).rows;
    const again = await positions();
    expect(again['decisions']).toBe(first!.offset);
    expect(again['actions']).toBeGreaterThanOrEqual(begin['actions']!);
    expect(await rewindStream(kit.pool, 'other', { kind: 'now' })).toBe(0);
  });

  it('is listed with what it lacks', async () => {
    await noteState(kit.pool, 'lake', 'no such bucket');
    const { items } = JSON.parse((await kit.call('GET', '/streams')).body) as { items: readonly object[] };
    expect(items).toEqual([
      expect.objectContaining({
        name: 'lake',
        target: 'ndjson files in /lake',
        running: true,
        lagSeconds: 0,
        error: 'no such bucket',
      }),
    ]);
    const later = Date.now() + 3 * hourMs;
    const [finding] = await checkStreams({ pool: kit.pool, configuration: { streams: [settings] } }, later);
    expect(finding).toMatchObject({ detail: 'no process sends the stream lake' });
    const [failing] = await checkStreams({ pool: kit.pool, configuration: { streams: [settings] } }, Date.now());
    expect(failing).toMatchObject({ detail: expect.stringContaining('no such bucket') });
  });
});
