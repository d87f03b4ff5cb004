import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { assert } from '@ringfence/contract';
import type { Rows } from './rows.ts';

const header = 'offset,client,at,label,score';

/**
 * The score of each row, from a file of `ringfence backtest --scores`. The history numbers its events in order of time,
 * as the rows are.
 *
 * @throws InvariantError unless the file has each row once, with its time and label, and one client for each customer
 */
export async function readScores(rows: Rows, path: string): Promise<Float64Array> {
  const score = new Float64Array(rows.count).fill(NaN);
  const clients = new Map<string, number>();
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
  let read = 0;
  for await (const line of lines) {
    if (read++ === 0) {
      assert(line === header, 'the file has the columns of scores');
      continue;
    }
    const [offset, client, at, label, text] = line.split(',');
    const row = Number(offset);
    const customer = clients.get(client!) ?? rows.customer[row]!;
    clients.set(client!, customer);
    assert(customer === rows.customer[row], 'a client is one customer');
    assert(Date.parse(at!) === rows.epochS[row]! * 1_000, 'an event has the time of its row');
    assert((label === 'fraud') === (rows.fraud[row] === 1), 'an event has the label of its row');
    assert(Number.isNaN(score[row]), 'each row has one score');
    score[row] = Number(text);
  }
  assert(!score.includes(NaN), 'each row has a score');
  assert(clients.size === new Set(rows.customer).size, 'a customer is one client');
  return score;
}

/** SHA-256 of a file. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest('hex');
}
