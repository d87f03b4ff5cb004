import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type Book, type Findings, findBrokenPromises } from '../crash/findings.ts';
import { Bank } from '../harness/bank.ts';
import { eventually } from '../harness/eventually.ts';
import { Ledger } from '../harness/ledger.ts';
import { messageOf } from '../crash/judge.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { type Hosts, licenseKey } from './hosts.ts';
import type { Progress } from './progress.ts';

/** Of all banks together. */
const ratePerSecond = 60;
const loadedMsMax = 20_000;
const answerMsMax = 20_000;
/**
 * Leases of deliveries run out after 30 s. A host that cannot reach the bank may attempt an action twice within a long
 * fault; the third attempt follows after five minutes, and up to a fifth of that later.
 */
const settleMsMax = 420_000;
/** Load before the first fault, and after the last one. */
const quietMs = 1_500;

export interface Round {
  /** Begins the names of its sessions and references. */
  readonly run: string;
  readonly seed: number;
  /** Where the bank reports; by default to each host, a third of its clients each, to the next one after a failure. */
  readonly urls?: readonly string[];
}

export interface Judged<Result> {
  readonly result: Result;
  readonly findings: Findings;
  /** From the end of the load until everything was decided and delivered. */
  readonly settledMs: number;
  /** Whether a doubled webhook and a lost event, added to a copy of the books, were found. */
  readonly isControlDetected: boolean;
}

/** Does `work` under load, waits until all is decided and delivered, and compares the bank's books with the service's. */
export async function underLoad<Result>(
  hosts: Hosts,
  { progress, round }: { readonly progress: Progress; readonly round: Round },
  work: (ledger: Ledger) => Promise<Result>,
): Promise<Judged<Result>> {
  const ledger = new Ledger();
  const from = progress.end;
  const banks = banksOf(hosts, round, ledger);
  try {
    await eventually('the bank reports', loadedMsMax, () => (ledger.acknowledged.length > 20 ? true : undefined));
    await sleep(quietMs);
    const result = await work(ledger);
    await sleep(quietMs);
    await Promise.all(banks.map((bank) => bank.stop(answerMsMax)));
    const endedMs = performance.now();
    await eventually('all is decided and delivered', settleMsMax, () => isAllDone(hosts.database)).catch(
      () => undefined, // the judge names what is not
    );
    const settledMs = performance.now() - endedMs;
    const { receiver, database } = hosts;
    const { management } = hosts.services[0]!;
    const book = { ledger, receiver, database, management, only: { run: round.run, from } };
    const findings = await findBrokenPromises(book);
    return { result, settledMs, findings, isControlDetected: await isControlDetected(book, findings) };
  } finally {
    await Promise.all(banks.map((bank) => bank.stop(0)));
  }
}

/** The negative control. Changes the books: their findings come first. */
async function isControlDetected(book: Book, before: Findings): Promise<boolean> {
  const { run } = book.only!;
  const { received, executed } = book.receiver;
  const one = [...executed.values()].find(({ body }) => messageOf(body).startsWith(`${run}-`));
  if (one === undefined) return false;
  const doubled = new Map([...executed, ['doubled', { ...one, webhookId: 'doubled' }]]);
  const lost = book.ledger.report({ kind: 'login', session: `${run}-lost`, reference: `${run}-lost`, marked: false });
  lost.eventId = `evt_1_${Number.MAX_SAFE_INTEGER}`;
  const { broken } = await findBrokenPromises({ ...book, receiver: { received, executed: doubled } });
  const isFound = (promise: 'executions' | 'lost'): boolean =>
    broken[promise].length === before.broken[promise].length + 1;
  return isFound('executions') && isFound('lost');
}

function banksOf({ services }: Hosts, { run, seed, urls }: Round, ledger: Ledger): readonly Bank[] {
  const all = urls ?? services.map(({ service }) => service.url);
  return all.map((_, place) => {
    const rotated = [...all.slice(place), ...all.slice(0, place)];
    const random = seededRandom(seed + place);
    const rate = ratePerSecond / all.length;
    return new Bank({ urls: rotated, licenseKey, ledger, random, ratePerSecond: rate, run: `${run}-${place}` });
  });
}

async function isAllDone(database: Pool): Promise<true | undefined> {
  const { rows } = await database.query<{ readonly undecided: string; readonly moving: string }>(
    `SELECT (SELECT sum(l.end_offset - p.next_offset) FROM log_partition l
               JOIN engine_position p ON p.workspace_id = l.partition) AS undecided,
            (SELECT count(*) FROM event WHERE status = 'waiting')
              + (SELECT count(*) FROM action WHERE state IN ('waiting', 'due', 'leased')) AS moving`,
  );
  return Number(rows[0]!.undecided) === 0 && Number(rows[0]!.moving) === 0 ? true : undefined;
}
