/**
 * Goal: what is decided reaches Kafka with no gap and in order, whatever dies.
 * Method: a bank sends events to two services on one database, while services and brokers are killed and started again.
 * Then every topic is compared with the database.
 */
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startBrokers, whyNoBrokers } from '../../tools/testing/kafka/brokers.ts';
import { type ReadMessage, readTopics } from '../../tools/testing/kafka/read-topics.ts';
import { isAllDone } from '../crash/findings.ts';
import { Bank, crashPolicy } from '../harness/bank.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
import { writeInstallation } from '../harness/installation.ts';
import { Ledger } from '../harness/ledger.ts';
import { connectTo, startPostgres } from '../harness/postgres.ts';
import { licenseKey } from '../harness/scene.ts';
import { between, seededRandom } from '../harness/seeded-random.ts';
import { type Service, type ServiceOptions, startService } from '../harness/service.ts';
import { temporaryHome } from '../harness/temporary-home.ts';
import { startWebhookReceiver } from '../harness/webhook-receiver.ts';

const noBrokers = await whyNoBrokers();
const kinds = ['decisions', 'actions', 'alerts', 'outcomes'] as const;
const rounds = Number(process.env['STREAMS_ROUNDS'] ?? 1);
const seed = Number(process.env['STREAMS_SEED'] ?? 1);

describe.skipIf(noBrokers !== undefined)(`streams to Kafka${noBrokers === undefined ? '' : `: ${noBrokers}`}`, () => {
  it(`lose nothing when services and brokers are killed (STREAMS_SEED=${seed})`, async () => {
    const home = await temporaryHome('streams');
    const [cluster, postgres, receiver] = await Promise.all([
      startBrokers(),
      startPostgres(home.path),
      startWebhookReceiver(),
    ]);
    const services: Service[] = [];
    onTestFinished(async () => {
      await Promise.all(services.map((service) => service.kill()));
      await Promise.all([cluster.close(), postgres.stop(), receiver.close()]);
      await home.remove();
    });
    const env = { DATABASE_URL: postgres.databaseUrl, RINGFENCE_MASTER_KEY: randomBytes(32).toString('base64') };
    const streams = [{ name: 'lake', kafka: { brokers: cluster.addresses, createTopics: true } }];
    const options: ServiceOptions[] = [];
    for (const name of ['one', 'two']) {
      options.push(await install(join(home.path, name), { webhookUrl: receiver.url, env, streams }));
      services.push(await startService(options.at(-1)!));
    }

    const ledger = new Ledger();
    const random = seededRandom(seed);
    const urls = services.map(({ url }) => url);
    const bank = new Bank({ urls, licenseKey, ledger, random, ratePerSecond: 150, run: 'streams' });
    const database = await connectTo(postgres.databaseUrl);
    for (let round = 0; round < rounds; round++) {
      const before = ledger.acknowledged.length;
      const some = between(random, 50, 300);
      await eventually('load is under way', 30_000, () =>
        ledger.acknowledged.length > before + some ? true : undefined,
      );
      const [victim, broker] = [between(random, 0, 1), cluster.brokers[between(random, 0, 2)]!];
      await Promise.all([services[victim]!.kill(), broker.kill()]);
      await Promise.all([broker.start(), startService(options[victim]!).then((one) => (services[victim] = one))]);
    }
    await bank.stop(20_000);
    await eventually('all is decided and delivered', 60_000, () => isAllDone(database, ledger));
    await eventually('everything has left', 60_000, async () => ((await isAllSent(database)) ? true : undefined));

    const topics = kinds.map((kind) => `ringfence.${kind}`);
    const read = await readTopics(cluster.addresses, topics);
    const stored = await storedIds(database);
    await database.end();
    for (const kind of kinds) {
      const first = firstOccurrences(read.filter(({ topic }) => topic === `ringfence.${kind}`));
      expect(new Set(first.flatMap(({ ids }) => ids)), kind).toEqual(new Set(stored[kind]));
      for (const [partition, messages] of Map.groupBy(first, (one) => one.partition)) {
        const sequences = messages.map(({ sequence }) => sequence);
        expect(sequences, `${kind} ${partition}`).toEqual(sequences.toSorted((a, b) => a - b));
      }
      const sequences = first.map(({ sequence }) => sequence);
      expect(new Set(sequences).size, kind).toBe(sequences.length);
    }
    expect(stored.decisions.length).toBeGreaterThan(100);
    expect(stored.actions.length).toBeGreaterThan(10);
  });
});

interface Sent {
  /** What it is about: the message itself, or the action whose outcome it is. */
  readonly ids: readonly string[];
  readonly sequence: number;
  readonly partition: number;
}

interface Message {
  readonly id: string;
  readonly sequence: number;
  readonly kind: string;
  readonly actions?: readonly string[];
}

/** As a reader removes repeats: by the id. */
function firstOccurrences(messages: readonly ReadMessage[]): readonly Sent[] {
  const seen = new Map<string, Sent>();
  for (const { partition, value } of messages) {
    const { id, sequence, kind, actions = [] } = JSON.parse(value) as Message;
    if (!seen.has(id)) seen.set(id, { ids: kind === 'outcomes' ? actions : [id], sequence, partition });
  }
  return [...seen.values()];
}

/** Whether the cursors of the stream have reached what they follow. */
async function isAllSent(database: Client): Promise<boolean> {
  const { rows } = await database.query<{ reached: number }>(
    `select count(*)::integer as reached from stream_cursor c join engine_position e using (workspace_id)
      where not coalesce((c.kind in ('decisions', 'outcomes') and c.position < e.next_offset)
         or (c.kind = 'actions' and c.position <= (select max(seq) from action a where a.workspace_id = c.workspace_id))
         or (c.kind = 'alerts' and c.position <= (select max(seq) from console_live l where l.workspace_id = c.workspace_id)), false)`,
  );
  return rows[0]!.reached === kinds.length;
}

/** What the database has, by the ids of messages; of outcomes, by the actions that the bank has executed: all. */
async function storedIds(database: Client): Promise<Readonly<Record<(typeof kinds)[number], readonly string[]>>> {
  const idsOf = async (text: string): Promise<readonly string[]> =>
    (await database.query<{ id: string }>(text)).rows.map(({ id }) => id);
  const actions = await idsOf(`select id from action`);
  return {
    decisions: await idsOf(`select 'evt_' || epoch || '_' || "offset" as id from event`),
    actions,
    alerts: await idsOf(`select ref as id from console_live where kind = 'alert'`),
    outcomes: actions,
  };
}

async function install(
  home: string,
  {
    webhookUrl,
    env,
    streams,
  }: {
    readonly webhookUrl: string;
    readonly env: Readonly<Record<string, string>>;
    readonly streams: readonly object[];
  },
): Promise<ServiceOptions> {
  await mkdir(home, { recursive: true });
  const [port, managementPort] = [await freePort(), await freePort()];
  const plan = { home, port, managementPort, licenseKey, webhookUrl, streams, policy: crashPolicy };
  return { configFile: await writeInstallation({ ...plan, database: 'external' }), port, managementPort, env };
}
