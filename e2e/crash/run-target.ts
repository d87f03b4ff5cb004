import { setTimeout as sleep } from 'node:timers/promises';
import { Bank } from '../harness/bank.ts';
import { eventually } from '../harness/eventually.ts';
import { Ledger } from '../harness/ledger.ts';
import { between, type Random, seededRandom } from '../harness/seeded-random.ts';
import { temporaryHome } from '../harness/temporary-home.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { type Findings, findBrokenPromises, isAllDone } from './findings.ts';
import { messageOf } from './judge.ts';
import { type System, systems, type Target } from './system.ts';

/** Load "L" of the reliability bar. */
const ratePerSecond = 200;
/** A strike happens at a random moment of this span under load. */
const quietMs = { min: 200, max: 1_500 };
/** Longest wait for the first response after a strike, on the busiest machine; the bar is 5 s. */
const answerTimeoutMs = 180_000;
/** Longest wait until everything is decided and delivered after the load: twice the lease of a delivery. */
const settleTimeoutMs = 60_000;

export interface Run {
  /** Number of strikes. */
  readonly rounds: number;
  readonly seed: number;
  /** Called after the last strike, when the load has ended: leases and holds have to run out, which is mostly waiting. */
  readonly onStruck: () => void;
}

export interface TargetResult {
  readonly findings: Findings;
  /** From each strike to the first 200 for an event that was sent after it. */
  readonly answeredAfterMs: readonly number[];
  /** From a strike to the first webhook for an operation that was sent after it; not every round waits for it. */
  readonly actedAfterMs: readonly number[];
  /** Time from start to ready of every restarted service. */
  readonly startMs: readonly number[];
  /** The last log lines of the services, for a failure report. */
  readonly output: string;
}

export interface StoreControlResult extends Pick<TargetResult, 'output'> {
  readonly acknowledged: number;
  /** What is wrong with the records of the log; empty if nothing is. */
  readonly unreadable: string;
}

/** Strikes one target `rounds` times under load, waits until it is idle, and compares the ledgers. */
export function runTarget(target: Target, run: Run): Promise<TargetResult> {
  return strikeUnderLoad(target, run, async ({ system, ledger, receiver, strikes }) => {
    const database = await eventually('the database answers', answerTimeoutMs, () => system.connect());
    const forgotten = system.forgotten?.();
    await eventually('all is decided and delivered', settleTimeoutMs, () =>
      isAllDone(database, ledger, forgotten),
    ).catch(() => undefined);
    const { management } = system;
    const findings = await findBrokenPromises({ ledger, receiver, database, management, forgotten });
    await database.end();
    return { findings, ...strikes, output: system.output() };
  });
}

/** Strikes a target whose log is expected to have lost records. They can be neither listed nor decided, so it is only read. */
export function runStoreControl(target: Target, run: Run): Promise<StoreControlResult> {
  return strikeUnderLoad(target, run, async ({ system, ledger }) => ({
    acknowledged: ledger.acknowledged.length,
    unreadable: (await system.verify?.()) ?? '',
    output: system.output(),
  }));
}

interface Struck {
  readonly system: System;
  readonly ledger: Ledger;
  readonly receiver: WebhookReceiver;
  readonly strikes: Pick<TargetResult, 'answeredAfterMs' | 'actedAfterMs' | 'startMs'>;
}

async function strikeUnderLoad<Result>(
  target: Target,
  { rounds, seed, onStruck }: Run,
  judge: (struck: Struck) => Promise<Result>,
): Promise<Result> {
  const home = await temporaryHome(`crash-${target}`);
  const receiver = await startWebhookReceiver();
  const random = seededRandom(seed);
  const licenseKey = `crash-license-key-${'0'.repeat(32)}`;
  const ledger = new Ledger();
  const system = await systems[target]({ home: home.path, webhookUrl: receiver.url, licenseKey });
  const bank = new Bank({ urls: system.urls, licenseKey, ledger, random, ratePerSecond, run: `${target}-${seed}` });
  try {
    const strikes = await strikeAgainAndAgain(system, rounds, { target, random, ledger, receiver });
    await bank.stop(answerTimeoutMs);
    onStruck();
    return await judge({ system, ledger, receiver, strikes });
  } catch (error) {
    throw new Error(`${target}: ${String(error)}\n${system.output()}`, { cause: error });
  } finally {
    // After a failure the bank would continue to report, and keep this process alive.
    await bank.stop(0);
    await system.stop();
    await receiver.close();
    await home.remove();
  }
}

interface Round {
  readonly target: Target;
  readonly random: Random;
  readonly ledger: Ledger;
  readonly receiver: WebhookReceiver;
}

async function strikeAgainAndAgain(
  system: System,
  rounds: number,
  { target, random, ledger, receiver }: Round,
): Promise<Pick<TargetResult, 'answeredAfterMs' | 'actedAfterMs' | 'startMs'>> {
  const answeredAfterMs: number[] = [];
  const actedAfterMs: number[] = [];
  const startMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await sleep(between(random, quietMs.min, quietMs.max));
    const struckAtMs = performance.now();
    const started = await system.strike(random);
    if (started.startMs !== undefined) startMs.push(started.startMs);
    const answeredAtMs = await eventually('an event is acknowledged again', answerTimeoutMs, () =>
      ledger.firstAnswerAfter(struckAtMs),
    );
    answeredAfterMs.push(answeredAtMs - struckAtMs);
    let line = `  ${target} ${round + 1}/${rounds}: answers again after ${Math.round(answeredAtMs - struckAtMs)} ms`;
    // In every second round the next strike may happen before the engine has caught up.
    if (between(random, 0, 1) === 1 && system.mayStop !== true) {
      const actedAtMs = await eventually('an action follows again', answerTimeoutMs, () =>
        firstActionAfter(struckAtMs, ledger, receiver),
      );
      actedAfterMs.push(actedAtMs - struckAtMs);
      line += `, acts again after ${Math.round(actedAtMs - struckAtMs)} ms`;
    }
    process.stdout.write(`${line}\n`);
  }
  return { answeredAfterMs, actedAfterMs, startMs };
}

function firstActionAfter(atMs: number, ledger: Ledger, receiver: WebhookReceiver): number | undefined {
  const references = new Set(
    ledger.reports.filter((report) => report.marked && report.firstTriedAtMs > atMs).map(({ reference }) => reference),
  );
  return receiver.received.find((action) => action.atMs > atMs && references.has(messageOf(action.body)))?.atMs;
}
