/** Streams of a real installation to files, to S3 and to a receiver that fails: nothing is lost, and nothing is doubled where that is promised. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { patience } from '../../../../tools/testing/patience.ts';
import { applyPolicy } from '../../src/policies/policy-store.ts';
import type { Delivery } from '../../src/streams/delivery.ts';
import { FileDelivery, folderStore, type PartStore } from '../../src/streams/file-delivery.ts';
import { sourcesOf } from '../../src/streams/open-senders.ts';
import { s3Store } from '../../src/streams/s3-store.ts';
import { moveCursor, prepareCursors, readCursors } from '../../src/streams/stream-cursors.ts';
import { StreamSender } from '../../src/streams/stream-sender.ts';
import { streamKinds, type StreamSettings } from '../../src/streams/stream-settings.ts';
import { login, payment } from '../api/support/management-kit.ts';
import { consoleKit, type ConsoleKit } from '../console/support/console-kit.ts';
import { startS3 } from './support/s3-server.ts';

const hourMs = 3_600_000;
const policy = `rules:
  - { reason: 900, name: large, when: order.amount > 100, then: { action: 3, message: large } }
`;

let kit: ConsoleKit;
let folder: string;
/** Ahead of the machine's: at every call of `tick`, an hour more. */
let nowMs: number;

beforeAll(async () => {
  kit = await consoleKit();
  await applyPolicy(kit.deps, kit.workspace.id, {
    files: [{ path: 'rules.yaml', text: policy }],
    author: 'test',
    comment: '',
    actor: 'api',
  });
  await kit.deps.registry.refresh();
  await pay(3);
}, patience.timeout * 2);
afterAll(() => kit.close());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-streams-'));
  nowMs = Date.now() + 2 * hourMs;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function pay(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await kit.send('login', login('ana'));
    await kit.send('operation', { ...payment('ana'), order: { amount: 150.25, currency: 'MXN' } });
  }
  await kit.fed();
}

type Given = Pick<StreamSettings, 'name'> & Partial<StreamSettings> & { readonly delivery: Delivery };

function senderOf({ delivery, ...given }: Given): StreamSender {
  const settings: StreamSettings = {
    of: streamKinds,
    workspaces: undefined,
    personalData: 'masked',
    target: { kind: 'folder', folder, format: 'parquet', everyMs: hourMs },
    ...given,
  };
  return new StreamSender({
    pool: kit.pool,
    settings,
    sources: sourcesOf({ ...kit, registry: kit.deps.registry, logger: kit.deps.logger, now: () => nowMs }, settings),
    delivery,
    workspaces: () => kit.deps.registry.all(),
    logger: kit.deps.logger,
    now: () => nowMs,
    random: Math.random,
  });
}

/** Rounds until nothing is left. */
async function drain(given: Given): Promise<void> {
  const sender = senderOf(given);
  await sender.prepare();
  while (!(await sender.round()));
}

function files(): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .toSorted();
}

function delivery(stream: string, store: PartStore, format: 'parquet' | 'ndjson' = 'parquet'): FileDelivery {
  return new FileDelivery({ stream, format, everyMs: hourMs, store, now: () => nowMs });
}

async function messagesOf(names: readonly string[]): Promise<readonly { id: string }[]> {
  const read = await Promise.all(
    names.map(async (name) => parquetReadObjects({ file: await asyncBufferFromFile(join(folder, name)) })),
  );
  return read.flat().map(({ message }) => JSON.parse(message as string) as { id: string });
}

describe('files in a folder', () => {
  it('have typed columns, and every message once', async () => {
    await drain({ name: 'parquet', delivery: delivery('parquet', folderStore(folder)) });
    const decisions = files().filter((name) => name.startsWith('decisions/'));
    const workspace = `${kit.workspace.name}-${kit.workspace.environment}`;
    expect(decisions[0]).toMatch(
      new RegExp(`^decisions/workspace=${workspace}/date=\\d{4}-\\d\\d-\\d\\d/part-\\d{12}-\\d{12}\\.parquet$`),
    );
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(join(folder, decisions[0]!)) });
    const paid = rows.find(({ event_kind }) => event_kind === 'operation')!;
    expect(paid).toMatchObject({ amount: 150.25, currency: 'MXN', fired: '[900]', status: 'decided' });
    expect(paid['sequence']).toBeTypeOf('bigint');
    expect(paid['at']).toBeInstanceOf(Date);
    expect(JSON.parse(paid['message'] as string)).toMatchObject({ id: paid['id'], event: { client: 'a•••' } });
    const { rows: events } = await kit.pool.query<{ id: string }>(
      `select 'evt_' || epoch || '_' || "offset" as id from event where workspace_id = $1`,
      [kit.workspace.id],
    );
    const sent = (await messagesOf(decisions)).map(({ id }) => id.replace('evt_test_', 'evt_'));
    expect(sent.toSorted()).toEqual(events.map(({ id }) => id).toSorted());
    expect(files().filter((name) => name.startsWith('audit/')).length).toBe(0);
  });

  it('are written by the clock, and hold what came since', async () => {
    const given = { name: 'clock', of: ['decisions'], delivery: delivery('clock', folderStore(folder)) } as const;
    await drain(given);
    const before = files();
    await pay(1);
    await drain(given);
    expect(files()).toEqual(before);
    nowMs += hourMs;
    await drain(given);
    expect(files().length).toBe(before.length + 1);
    const ids = (await messagesOf(files())).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('of lines are read again with gzip alone', async () => {
    const given = { of: ['actions'], personalData: 'shown' } as const;
    await drain({ name: 'lines', ...given, delivery: delivery('lines', folderStore(folder), 'ndjson') });
    const [name] = files();
    expect(name).toMatch(/\.ndjson\.gz$/);
    const lines = gunzipSync(readFileSync(join(folder, name!)))
      .toString()
      .trimEnd()
      .split('\n');
    expect(JSON.parse(lines[0]!)).toMatchObject({ kind: 'actions', action: { client: 'ana', message: 'large' } });
  });

  it.each(['before', 'after'] as const)(
    'hold each message once after a crash %s a file became visible',
    async (when) => {
      const store = folderStore(folder);
      let crashes = 2;
      const crashing: PartStore = {
        ...store,
        publish: async (path, name, stop) => {
          if (when === 'after') await store.publish(path, name, stop);
          if (crashes-- > 0) throw new Error('killed');
          if (when === 'before') await store.publish(path, name, stop);
        },
      };
      const name = `crash-${when}`;
      const given = { name, of: ['decisions'] } as const;
      await expect(drain({ ...given, delivery: delivery(name, crashing) })).rejects.toThrow('killed');
      // Facts that come between the crash and the next attempt are not part of the file that was planned.
      await pay(1);
      nowMs += hourMs;
      await expect(drain({ ...given, delivery: delivery(name, crashing) })).rejects.toThrow('killed');
      await drain({ ...given, delivery: delivery(name, crashing) });
      const ids = (await messagesOf(files())).map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const { rows } = await kit.pool.query(`select from event where workspace_id = $1`, [kit.workspace.id]);
      expect(ids.length).toBe(rows.length);
    },
  );
});

describe('a bucket', () => {
  const account = { accessKeyId: 'key', secretAccessKey: 'secret', region: 'eu-central-1' };

  it('gets every file, signed, also after it failed', async () => {
    const server = await startS3(account);
    try {
      const target = { ...account, endpoint: server.endpoint, bucket: 'lake', prefix: 'bank one', caPem: undefined };
      const given = { name: 'bucket', of: ['decisions', 'alerts'] } as const;
      server.fail(1);
      await expect(drain({ ...given, delivery: delivery('bucket', s3Store(target)) })).rejects.toThrow('503');
      await drain({ ...given, delivery: delivery('bucket', s3Store(target)) });
      const names = [...server.objects.keys()];
      expect(names.filter((name) => name.startsWith('lake/bank one/decisions/workspace=')).length).toBe(1);
      expect(names.filter((name) => name.startsWith('lake/bank one/alerts/workspace=')).length).toBe(1);
      const bytes = server.objects.get(names[0]!)!;
      const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer });
      expect(rows.length).toBeGreaterThan(3);
      expect(server.refused).toEqual(['slow down']);

      const wrong = { ...target, secretAccessKey: 'other' };
      nowMs += hourMs;
      await pay(1);
      await expect(drain({ ...given, delivery: delivery('bucket', s3Store(wrong)) })).rejects.toThrow(
        'signature is wrong',
      );
    } finally {
      await server.close();
    }
  });
});

describe('a cursor', () => {
  it('is moved by one of two processes only', async () => {
    const name = 'two';
    const settings = { name, of: ['decisions'], workspaces: undefined, personalData: 'masked' } as const;
    const target = { kind: 'folder', folder, format: 'parquet', everyMs: hourMs } as const;
    await prepareCursors(kit.pool, { ...settings, target }, [kit.workspace.id]);
    const [cursor] = await readCursors(kit.pool, name);
    const to = { position: cursor!.position + 1, throughMs: 0, sent: 1 };
    await moveCursor(kit.pool, cursor!, to);
    await expect(moveCursor(kit.pool, cursor!, to)).rejects.toThrow('was moved');
  });

  it('stays where the receiver failed, while the other kinds go on', async () => {
    const taken: string[] = [];
    const failing: Delivery = {
      deliver: async ({ cursor, read, pool }) => {
        if (cursor.kind === 'actions') throw new Error('no topic');
        const { facts, next } = await read(cursor.position, 1_000);
        taken.push(...facts.map(({ message }) => message.id));
        await moveCursor(pool, cursor, { position: next, throughMs: nowMs, sent: facts.length });
        return true;
      },
      reset: () => Promise.resolve(),
    };
    const sender = senderOf({ name: 'partly', of: ['actions', 'decisions'], delivery: failing });
    await sender.prepare();
    await expect(sender.round()).rejects.toThrow('no topic');
    expect(taken.length).toBeGreaterThan(3);
    const cursors = new Map((await readCursors(kit.pool, 'partly')).map((one) => [one.kind, one]));
    expect(cursors.get('actions')).toMatchObject({ position: 0, isAhead: true });
    expect(cursors.get('decisions')).toMatchObject({ isAhead: false });
  });
});
