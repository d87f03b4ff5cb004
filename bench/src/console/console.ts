import { assert } from '@ringfence/contract';
import { adminToken, connectToEmbedded } from '@ringfence/e2e';
import type { Client } from 'pg';
import { startProduct } from '../product/start-product.ts';
import type { Bar } from '../report/bars.ts';
import { figure, table } from '../report/table.ts';
import { fill } from './fill.ts';
import { unasked } from './coverage.ts';
import { dueMinutes, fillWork } from './fill-work.ts';
import { type Question, questions } from './questions.ts';

export interface ConsoleOptions {
  readonly events: number;
  readonly alerts: number;
  /** Ranges of the log in which the events lie; 0 for as many as the product makes. */
  readonly ranges: number;
  readonly rounds: number;
}

/** A response within this time feels immediate. */
const p95MsMax = 200;

/** Every list and filter of the console over HTTP, with a million events and 50,000 alerts. */
export async function console(options: ConsoleOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const product = await startProduct({ webhookUrl: 'http://127.0.0.1:9/webhook', dueMinutes });
  const database = await connectToEmbedded(product.stateFolder);
  try {
    if (options.ranges > 0) await divide(database, options);
    const { workspaceId } = await fill(product, database, { ...options, print });
    const { managementUrl } = product.service;
    await fillWork(database, { workspaceId, events: options.events, managementUrl });
    const base = `${managementUrl}/management/v1/workspaces/${workspaceId}`;
    const asked = await questions(database, workspaceId);
    const left = unasked(asked);
    assert(left.length === 0, `every list and filter is requested, also: ${left.join(', ')}`);
    const all: number[] = [];
    const rows: (readonly string[])[] = [];
    let slowest = { name: '', p95Ms: 0 };
    for (const question of asked) {
      const tookMs: number[] = [];
      let bytes = 0;
      for (let round = 0; round < options.rounds; round++) {
        const beganMs = performance.now();
        bytes = await ask(`${base}/${question.path}`, question);
        tookMs.push(performance.now() - beganMs);
      }
      const p95Ms = quantile(tookMs, 0.95);
      if (p95Ms > slowest.p95Ms) slowest = { name: question.name, p95Ms };
      all.push(...tookMs);
      rows.push([
        question.name,
        `${figure(bytes)} bytes`,
        `${figure(quantile(tookMs, 0.5))} ms`,
        `${figure(p95Ms)} ms`,
      ]);
    }
    print(table([['question', 'answer', 'p50', 'p95'], ...rows]));
    const bar = { bar: p95MsMax, must: 'stay below', unit: 'ms' } as const;
    return [
      { what: `the slowest request, p95 (${slowest.name})`, measured: slowest.p95Ms, ...bar },
      { what: `all ${asked.length} questions, p95`, measured: quantile(all, 0.95), ...bar },
    ];
  } finally {
    await database.end();
    await product.stop();
  }
}

/** Before the first event: smaller ranges than the product makes, as many as years of events have. */
async function divide(database: Client, { events, ranges }: ConsoleOptions): Promise<void> {
  await database.query('update log_partition set range_records = $1', [Math.ceil(events / ranges)]);
}

/** @returns the length of the response */
async function ask(url: string, { body }: Question): Promise<number> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${adminToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.arrayBuffer();
  assert(response.ok, `${url} answers ${response.status}: ${Buffer.from(answer).toString().slice(0, 300)}`);
  return answer.byteLength;
}

/** The smallest value that at least this share of all values does not exceed. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]!;
}
