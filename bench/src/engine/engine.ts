import { assert } from '@ringfence/contract';
import { loadPolicy, type Policy } from '@ringfence/policy';
import { type History, historyOf } from '../handbook/history.ts';
import { readRows } from '../handbook/read-rows.ts';
import { planVisits } from '../handbook/visits.ts';
import { Stopwatch } from '../measure/stopwatch.ts';
import { printSummary } from '../profile/print-summary.ts';
import { profileHere } from '../profile/profile-here.ts';
import { policyFiles, starterPolicyFiles } from '../product/bench-policy.ts';
import type { Bar } from '../report/bars.ts';
import { figure, table } from '../report/table.ts';
import { decide, type Decided, type DecidePlan } from './decide.ts';
import { withStore } from './stored-state.ts';

export interface EngineOptions {
  /** Events to decide; 0 for the whole history. */
  readonly events: number;
  /** Events that are decided a second time, in other chunks and with restarts; 0 for none. */
  readonly again: number;
  readonly seed: number;
  /** Forty rules over 25 features (`policies/forty`) instead of the starter policy. */
  readonly forty: boolean;
  /** Profiles the first run with V8's profiler. */
  readonly profile: boolean;
}

/** The bar: on one core, starter policy and checkpoints on. */
const eventsPerSecondMin = 50_000;
/** The same with forty rules over 25 features. */
const fortyPerSecondMin = 100_000;
/** The batch size of the host. */
const chunk = 500;
/** As in the host: records after which a checkpoint is written at the latest. */
const checkpointEvery = 200_000;
const noteEvery = 250_000;
/** The second run: another chunk size, and occasional crashes between two checkpoints. */
const otherChunk = 3_333;
const restartEvery = 130_000;

/**
 * The engine alone, on one core, over the card operations of the handbook as logins, operations and logouts. The
 * baseline keeps one running sum per client and per payee in plain maps: the least work that any engine must do.
 */
export async function engine(options: EngineOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const rows = readRows(options.seed);
  const history = historyOf(rows, planVisits(rows, options.seed));
  const events = options.events === 0 ? history.count : Math.min(options.events, history.count);
  const again = Math.floor(Math.min(options.again, events) / noteEvery) * noteEvery;
  print(`${rows.source}, seed ${options.seed}: ${figure(history.count)} events, ${figure(events)} of them decided\n`);

  const policy = await policyOf(options);
  const base = { history, policy, checkpointEvery, noteEvery };
  const baseline = sumByHand(history, events);
  const first = await withStore(async (stored) => {
    const plan = { ...base, stored, events, chunk, restartEvery: 0 };
    const decided = options.profile ? await profiled(plan, print) : decide(plan);
    report(plan, decided, print);
    return decided;
  });
  const second = await withStore((stored) =>
    again === 0 ? undefined : decide({ ...base, stored, events: again, chunk: otherChunk, restartEvery }),
  );

  // Throughput of one dedicated core: processor time of all threads, including garbage collection.
  const perSecond = (events * 1_000) / first.cpuMs;
  print(
    `baseline: ${figure(baseline)} events/s with two plain sums; the engine reaches ${figure(perSecond / baseline)} of it\n`,
  );
  const bars: Bar[] = [
    {
      what: 'decided per processor second',
      measured: perSecond,
      bar: options.forty ? fortyPerSecondMin : eventsPerSecondMin,
      must: 'reach',
      unit: 'events/s',
    },
  ];
  if (second === undefined) return bars;
  const same = second.digest === first.digests[again / noteEvery - 1] ? 1 : 0;
  print(
    `repeated, ${figure(again)} events in chunks of ${otherChunk} with ${second.restarts} restarts: SHA-256 ${second.digest}\n`,
  );
  return [...bars, { what: 'decided again: the same SHA-256', measured: same, bar: 1, must: 'reach', unit: '' }];
}

async function profiled(plan: DecidePlan, print: (text: string) => void): Promise<Decided> {
  const { result, summary } = await profileHere(() => decide(plan));
  print(printSummary(summary));
  return result;
}

function report({ stored, events }: DecidePlan, decided: Decided, print: (text: string) => void): void {
  const mib = (bytes: number): string => `${figure(bytes / 2 ** 20)} MiB`;
  const { rss, heapUsed } = process.memoryUsage();
  print(
    table([
      [
        'events/s, wall',
        'per processor second',
        'decisions',
        'actions',
        'checkpoints',
        'their share',
        'slowest',
        'written',
        'asked for',
      ],
      [
        figure((events * 1_000) / decided.wallMs),
        figure((events * 1_000) / decided.cpuMs),
        figure(decided.decisions),
        figure(decided.actions),
        String(decided.checkpoints),
        `${figure((100 * decided.checkpointMs) / decided.wallMs)} %`,
        `${figure(decided.checkpointMsMax)} ms`,
        mib(stored.bytesWritten),
        `${figure(decided.asked)} entities`,
      ],
    ]),
  );
  print(
    `memory: ${mib(rss)}, heap ${mib(heapUsed)}, including the history; ${figure(decided.resident)} entities resident\n`,
  );
  print(`SHA-256 of all decisions: ${decided.digest}\n`);
}

/** Events per second when all that is done is to add an amount to its client's and its payee's sum. */
function sumByHand(history: History, events: number): number {
  const sums = new Map<string, number>();
  const watch = new Stopwatch();
  for (let at = 0; at < events; at += chunk) {
    const slice = history.slice(at, Math.min(events, at + chunk));
    watch.time(() => {
      for (const { event, subject } of slice) {
        const amount = event.kind === 'operation' ? Number(event.order?.amount) : 0;
        const payee = event.kind === 'operation' ? (event.accountTo?.accountNumber ?? '') : '';
        sums.set(subject, (sums.get(subject) ?? 0) + amount);
        sums.set(payee, (sums.get(payee) ?? 0) + amount);
      }
    });
  }
  return (events * 1_000) / watch.wallMs;
}

async function policyOf({ forty }: EngineOptions): Promise<Policy> {
  const loaded = loadPolicy(forty ? await policyFiles('forty') : await starterPolicyFiles());
  assert(loaded.ok, 'the policy checks');
  return loaded.policy;
}
