import { adminToken, connectToEmbedded, startWebhookReceiver } from '@ringfence/e2e';
import type { Client } from 'pg';
import { setTimeout as after } from 'node:timers/promises';
import { fill } from '../console/fill.ts';
import { dueMinutes, fillWork, liveList } from '../console/fill-work.ts';
import { type Sent, sendSteadily, type SteadyLoad } from '../load/steady.ts';
import { type Product, startProduct } from '../product/start-product.ts';
import type { Bar } from '../report/bars.ts';
import { figure, milliseconds, table } from '../report/table.ts';
import { type LargestRequest, largestRequests } from './largest-requests.ts';

export interface LargestOptions {
  /** Of the service's data. */
  readonly events: number;
  /** Events per second whose answers are measured. */
  readonly rate: number;
  /** Measured without other requests. */
  readonly seconds: number;
  /** Requests of one kind at a time. */
  readonly callers: number;
  /** Times that each caller sends each request. */
  readonly rounds: number;
}

const slowerMsMax = 50;
const turnMsMax = 20;
const warmUpSeconds = 5;
/** A file or a stream is not read to its end. */
const answerMsMax = 5_000;
const lookEveryMs = 500;
const slowestShown = 12;
const developmentKey = `bench-development-key-${'0'.repeat(32)}`;

/**
 * Every operation of both listeners at its largest input, several callers at once, beside events at a low rate: what
 * any caller can take from those who report events.
 */
export async function largest(options: LargestOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const receiver = await startWebhookReceiver();
  const development = { licenseKey: developmentKey, policy: { 'none.yaml': 'rules: []\n' } };
  const product = await startProduct({ webhookUrl: receiver.url, sessionGraceSeconds: 0, development, dueMinutes });
  const database = await connectToEmbedded(product.stateFolder);
  try {
    const { workspaceId } = await fill(product, database, {
      events: options.events,
      alerts: options.events / 20,
      print,
    });
    await fillWork(database, { workspaceId, events: options.events, managementUrl: product.service.managementUrl });
    const requests = largestRequests(await idsOf(database, workspaceId));
    const load: SteadyLoad = {
      port: product.port,
      path: '/api/v5/analytics/app/operation',
      key: product.licenseKey,
      perSecond: options.rate,
      waits: false,
      category: 'transfer',
    };
    await sendSteadily(load, after(warmUpSeconds * 1_000));
    const turns = new LongestTurn(product);
    const alone = await sendSteadily(load, after(options.seconds * 1_000));
    const turnAlone = await turns.taken();
    const driven = drive(product, requests, options);
    const beside = await sendSteadily(load, driven);
    const turnBeside = await turns.taken();
    turns.stop();
    print(printed(await driven, [alone, turnAlone], [beside, turnBeside]));
    return barsOf(alone, beside, turnBeside.processorMs);
  } finally {
    await database.end();
    await product.stop();
    await receiver.close();
  }
}

type Measured = readonly [sent: Sent, turn: Turn];

function printed(driven: readonly Driven[], alone: Measured, beside: Measured): string {
  const row = (name: string, [{ waited, answers }, turn]: Measured): readonly string[] => [
    name,
    String(answers),
    milliseconds(waited.quantileUs(0.5)),
    milliseconds(waited.quantileUs(0.99)),
    milliseconds(waited.maxUs),
    `${figure(turn.clockMs)} ms`,
    `${figure(turn.processorMs)} ms`,
  ];
  const slowest = driven.toSorted((a, b) => b.slowestMs - a.slowestMs).slice(0, slowestShown);
  return [
    table([
      ['events', 'answers', 'p50', 'p99', 'slowest', 'loop blocked', 'by its own work'],
      row('alone', alone),
      row('beside', beside),
    ]),
    `${driven.length} requests, the slowest\n`,
    table([
      ['', 'body', 'slowest', 'answers'],
      ...slowest.map(({ name, bytes, slowestMs, statuses }) => [
        name,
        `${figure(bytes)} bytes`,
        `${figure(slowestMs)} ms`,
        [...statuses].map(([status, count]) => `${count} x ${status}`).join(', '),
      ]),
    ]),
  ].join('\n');
}

function barsOf(alone: Sent, beside: Sent, turnMs: number): readonly Bar[] {
  const slowerMs = (beside.waited.quantileUs(0.99) - alone.waited.quantileUs(0.99)) / 1_000;
  const most = { must: 'stay below' } as const;
  return [
    { what: 'events refused', measured: alone.failed + beside.failed, bar: 0, unit: '', ...most },
    { what: 'events, p99 beside less p99 alone', measured: slowerMs, bar: slowerMsMax, unit: 'ms', ...most },
    { what: 'longest turn of a thread that takes events', measured: turnMs, bar: turnMsMax, unit: 'ms', ...most },
  ];
}

/** How long an event loop was blocked at most: by the clock, and by its own work. */
interface Turn {
  readonly clockMs: number;
  readonly processorMs: number;
}

const noTurn: Turn = { clockMs: 0, processorMs: 0 };

/** Reads the longest turn of the threads that take events, which the service tells for each second. */
class LongestTurn {
  readonly #product: Product;
  readonly #timer: NodeJS.Timeout;
  #longest: Turn = noTurn;

  constructor(product: Product) {
    this.#product = product;
    this.#timer = setInterval(() => void this.#look(), lookEveryMs);
  }

  /** Since the last call. */
  async taken(): Promise<Turn> {
    await this.#look();
    const taken = this.#longest;
    this.#longest = noTurn;
    return taken;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const answer = await fetch(`${this.#product.service.managementUrl}/metrics`);
    const text = await answer.text();
    const milliseconds = (metric: string): number =>
      Number(new RegExp(`^${metric} (\\S+)$`, 'm').exec(text)?.[1] ?? 0) * 1_000;
    this.#longest = {
      clockMs: Math.max(this.#longest.clockMs, milliseconds('ringfence_ingest_loop_delay_seconds')),
      processorMs: Math.max(this.#longest.processorMs, milliseconds('ringfence_ingest_loop_busy_seconds')),
    };
  }
}

interface Driven {
  readonly name: string;
  readonly bytes: number;
  readonly slowestMs: number;
  readonly statuses: ReadonlyMap<string, number>;
}

/** One request after the other, each by all callers at once. */
async function drive(
  product: Product,
  requests: readonly LargestRequest[],
  { callers, rounds }: LargestOptions,
): Promise<readonly Driven[]> {
  const driven: Driven[] = [];
  for (const request of requests) {
    const statuses = new Map<string, number>();
    let slowestMs = 0;
    const call = async (): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        const beganMs = performance.now();
        const status = await ask(product, request);
        slowestMs = Math.max(slowestMs, performance.now() - beganMs);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: callers }, call));
    driven.push({ name: request.name, bytes: request.body?.length ?? 0, slowestMs, statuses });
  }
  return driven;
}

async function ask({ port, licenseKey, service }: Product, request: LargestRequest): Promise<string> {
  const base = request.listener === 'events' ? `http://127.0.0.1:${port}` : service.managementUrl;
  const eventsKey = request.path.startsWith('/api-dev') ? developmentKey : licenseKey;
  const key = request.listener === 'events' ? eventsKey : adminToken;
  const { method, body } = request;
  const headers = {
    ...(request.isOpen ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  try {
    const signal = AbortSignal.timeout(answerMsMax);
    const answer = await fetch(base + request.path, {
      method,
      headers,
      signal,
      ...(body === undefined ? {} : { body }),
    });
    await answer.arrayBuffer();
    return String(answer.status);
  } catch (error) {
    if (error instanceof DOMException) return 'not read to its end';
    throw error;
  }
}

/** Values of the path's parameters: things that exist, where an operation would else end before its work. */
async function idsOf(database: Client, workspaceId: string): Promise<Readonly<Record<string, string>>> {
  const { rows } = await database.query<Readonly<Record<string, string>>>(
    `select 'evt_' || e.epoch || '_' || e."offset" as event, e.subject as client,
            (select id from alert where workspace_id = $1 limit 1) as alert,
            (select id from action where workspace_id = $1 and state = 'executed' limit 1) as action
       from event e where e.workspace_id = $1 and e.kind = 'operation' order by e."offset" limit 1`,
    [workspaceId],
  );
  const { event, client, alert, action } = rows[0]!;
  return {
    workspace: workspaceId,
    event: event!,
    client: client!,
    alert: alert!,
    action: action!,
    version: '1',
    channel: '2',
    list: liveList,
    kind: 'client',
    ref: client!,
  };
}
