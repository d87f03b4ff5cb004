import type { EventRecord } from '@ringfence/engine';
import { seededRandom } from '@ringfence/e2e';
import { recordOf } from '../engine/records.ts';
import { historyOf } from '../handbook/history.ts';
import { readRows } from '../handbook/read-rows.ts';
import { planVisits } from '../handbook/visits.ts';
import { policyFiles } from '../product/bench-policy.ts';
import type { Bar } from '../report/bars.ts';
import { figure, median, table } from '../report/table.ts';
import { controlRecords } from './shard-engine.ts';
import { type Cost, decideAlone, type Lived, live, replay, type ShardedHistory } from './simulation.ts';
import { type SplitPolicy, splitPolicy } from './split-policy.ts';

export interface ShardsOptions {
  /** The first of the handbook. */
  readonly events: number;
  /** How many records may lie between two that overtake each other: 150 are 5 ms at 30,000/s. */
  readonly apart: number;
  /** Of the measurement of processor time. */
  readonly rounds: number;
  readonly seed: number;
}

const counts = [4, 16];
/** Random orders of turns that are tried with each number of shards. */
const interleavings = 2;
/** One shard hangs behind: apart by these times as many records. */
const farTimes = 20;
/** The handbook has 10,000 terminals. With these few, most of what is apart touches the same ones. */
const fewTerminals = 100;
/** Cost must grow with the events, not with the shards. */
const growthMax = 1.15;

/**
 * One workspace in shards, simulated with real engines: by policies about the client alone, and by one that also reads
 * features of terminals (the payees), which lie in partitions of their own.
 */
export async function shards(options: ShardsOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const split = splitPolicy(await policyFiles('cards'));
  const records = recordsOf(options);
  const touches = records.filter(({ event }) => event.kind === 'operation').length;
  const { whole, clientOnly, shared } = split;
  print(
    `${figure(records.length)} events, ${figure(touches)} of them operations; ${whole.rules.length} rules, ${clientOnly.rules.length} about the client alone; ${shared.length} of ${whole.features.length} features about terminals\n\n`,
  );
  const told = { split, options, print };
  const alone = aboutClients(records, split, print);
  const usual = interleaved('terminals of the handbook', records, told);
  const few = interleaved(`${fewTerminals} terminals`, crowded(records, fewTerminals), told);
  print(`\n${hop(records, usual.sent)}\n`);
  return [...alone, ...usual.bars, ...few.bars, ...costs(records, told)];
}

function recordsOf({ events, seed }: ShardsOptions): readonly EventRecord[] {
  const rows = readRows(seed);
  const history = historyOf(rows, planVisits(rows, seed));
  return history
    .slice(0, Math.min(events, history.count))
    .map((event, at) => recordOf(event, controlRecords + at) as EventRecord);
}

/** The same operations at this number of terminals. */
export function crowded(records: readonly EventRecord[], terminals: number): readonly EventRecord[] {
  return records.map((record) => {
    const { event } = record;
    if (event.kind !== 'operation') return record;
    const accountNumber = String(Number(event.accountTo?.accountNumber) % terminals);
    return { ...record, event: { ...event, accountTo: { ...event.accountTo, accountNumber } } };
  });
}

function none(what: string, measured: number): Bar {
  return { what, measured, bar: 0, must: 'stay below', unit: '' };
}

function aboutClients(
  records: readonly EventRecord[],
  { clientOnly }: SplitPolicy,
  print: (text: string) => void,
): readonly Bar[] {
  const { decisions: plain } = decideAlone({ records, shards: 1 }, clientOnly);
  print(`by rules about the client alone, SHA-256 of all decisions: ${plain.digest}\n`);
  return counts.map((shards) => {
    const { decisions } = decideAlone({ records, shards }, clientOnly);
    return none(
      `client alone, ${shards} shards: decisions that differ from one engine`,
      plain.differing(decisions).bits,
    );
  });
}

interface Told {
  readonly split: SplitPolicy;
  readonly options: ShardsOptions;
  readonly print: (text: string) => void;
}

interface Interleaved {
  readonly bars: readonly Bar[];
  readonly sent: Lived['sent'];
}

const heads = ['values read', 'decisions, any bit', 'what fired'];

function interleaved(name: string, records: readonly EventRecord[], told: Told): Interleaved {
  const { split, options, print } = told;
  const plain = decideAlone({ records, shards: 1 }, split.whole).decisions;
  const rows = [['', 'records apart', ...heads, ...heads.map((head) => `${head}, two orders`)]];
  let [replays, unequal, ofOne] = [0, 0, 0];
  let sent = { touches: 0, touchBytes: 0, answerBytes: 0 };
  for (const shards of counts) {
    const history = { records, shards };
    const live1 = live(history, split, { random: seededRandom(options.seed), apart: 1 });
    ofOne += live1.decisions.differing(plain).bits;
    sent = live1.sent;
    for (const apart of [options.apart, options.apart * farTimes]) {
      const lived = Array.from({ length: interleavings }, (_, at) =>
        live(history, split, { random: seededRandom(options.seed + at), apart }),
      );
      for (const { decisions, orders } of lived) {
        replays++;
        unequal += replay(history, split, orders).decisions.digest === decisions.digest ? 0 : 1;
      }
      const [one, other] = lived as [Lived, Lived];
      rows.push([`${shards} shards`, figure(apart), ...differing(one, live1), ...differing(other, one)]);
    }
  }
  print(`\n${name}: share that differs from one engine, and between two orders\n${table(rows)}`);
  const bars = [
    none(`${name}, one event at a time: decisions that differ from one engine`, ofOne),
    none(`${name}: of ${replays} recorded orders, replayed with another decision`, unequal),
  ];
  return { bars, sent };
}

/** Shares of the values of features, of decisions, and of what fired or was requested. */
function differing(one: Lived, other: Lived): readonly string[] {
  const touched = one.answers.filter((answer) => answer !== undefined);
  const values = one.answers.flatMap(
    (answer, at) => answer?.filter((value, i) => value !== other.answers[at]?.[i]) ?? [],
  );
  const { bits, acts } = one.decisions.differing(other.decisions);
  const share = (count: number, of: number): string => `${((100 * count) / of).toFixed(3)} %`;
  return [
    share(values.length, touched.length * (touched[0]?.length ?? 1)),
    share(bits, touched.length),
    share(acts, touched.length),
  ];
}

/** What one more hop costs, counted. */
function hop(records: readonly EventRecord[], { touches, touchBytes, answerBytes }: Lived['sent']): string {
  const bytes = records.reduce((sum, { event }) => sum + Buffer.byteLength(JSON.stringify(event)), 0) / records.length;
  return table([
    ['one more hop, for each event', 'records', 'bytes each, as JSON'],
    ['the event itself', '1', figure(bytes)],
    ['touch', figure(touches / records.length), figure(touchBytes / touches)],
    ['answer', figure(touches / records.length), figure(answerBytes / touches)],
    ['all', figure(1 + (2 * touches) / records.length), figure(bytes + (touchBytes + answerBytes) / records.length)],
  ]);
}

function costs(records: readonly EventRecord[], { split, options, print }: Told): readonly Bar[] {
  const forms = [
    { name: 'one engine, no partition', run: () => decideAlone({ records, shards: 1 }, split.whole).cost },
    ...[1, ...counts].map((shards) => {
      const history: ShardedHistory = { records, shards };
      const { orders } = live(history, split, { random: seededRandom(options.seed), apart: options.apart });
      return { name: `${shards} shards and partitions`, run: () => replay(history, split, orders).cost };
    }),
  ];
  const measured: Cost[][] = forms.map(() => []);
  for (let round = 0; round < options.rounds; round++)
    for (const [at, { run }] of forms.entries()) measured[at]!.push(run());
  const us = (of: (cost: Cost) => number, at: number): number =>
    (1_000 * median(measured[at]!.map(of))) / records.length;
  const all = ({ shardsMs, partitionsMs }: Cost): number => sum(shardsMs) + sum(partitionsMs);
  print('processor time of stepping, for each event of the workspace\n');
  print(
    table([
      ['', 'all', 'shards', 'partitions', 'busiest shard', 'busiest partition'],
      ...forms.map(({ name }, at) => [
        name,
        ...[
          all,
          (cost: Cost) => sum(cost.shardsMs),
          (cost: Cost) => sum(cost.partitionsMs),
          (cost: Cost) => Math.max(...cost.shardsMs),
          (cost: Cost) => Math.max(0, ...cost.partitionsMs),
        ].map((of) => `${figure(us(of, at))} us`),
      ]),
    ]),
  );
  return [
    {
      what: 'processor time an event, 16 shards over 4',
      measured: us(all, 3) / us(all, 2),
      bar: growthMax,
      must: 'stay below',
      unit: '',
    },
  ];
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
