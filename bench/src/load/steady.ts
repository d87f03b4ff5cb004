import { Agent, request } from 'node:http';
import { Histogram } from '../measure/histogram.ts';

/** Operations at a fixed rate, from this process: for rates at which their cost does not matter. */
export interface SteadyLoad {
  readonly port: number;
  readonly path: string;
  readonly key: string;
  readonly perSecond: number;
  /** Whether each request waits for its decision. */
  readonly waits: boolean;
  readonly category: string;
}

export interface Sent {
  /** From the moment a request was due until its answer, in microseconds. */
  readonly waited: Histogram;
  readonly answers: number;
  /** Answers other than 200. */
  readonly failed: number;
}

/** Sends until `until` resolves, however long the answers take. @throws if a connection breaks */
export async function sendSteadily(load: SteadyLoad, until: Promise<unknown>): Promise<Sent> {
  const agent = new Agent({ keepAlive: true });
  const waited = new Histogram();
  const over = new AbortController();
  const end = (): void => over.abort();
  until.then(end, end);
  let failed = 0;
  const startMs = performance.now();
  const asked: Promise<void>[] = [];
  for (let at = 0; !over.signal.aborted; at++) {
    const dueMs = startMs + (at * 1_000) / load.perSecond;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
    asked.push(
      post(agent, load, at).then((status) => {
        waited.record((performance.now() - dueMs) * 1_000);
        if (status !== 200) failed++;
      }),
    );
  }
  await Promise.all(asked);
  agent.destroy();
  return { waited, answers: asked.length, failed };
}

function post(agent: Agent, { port, path, key, waits, category }: SteadyLoad, at: number): Promise<number | undefined> {
  const body = JSON.stringify({
    channelId: 1,
    timestamp: new Date().toISOString(),
    transaction: { category, type: 'spei', reference: `n-${at}` },
    account: { client: `client-${at % 100}`, accountNumber: '012180001234567897', bank: 'BANK-A' },
    order: { amount: 10 + (at % 90), currency: 'MXN' },
  });
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(waits ? { prefer: 'wait=5' } : {}),
    };
    const asked = request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    asked.on('error', reject).end(body);
  });
}
