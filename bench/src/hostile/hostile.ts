import type { DecimalText, EpochMs, Event } from '@ringfence/contract';
import { type EngineRecord, newState, step } from '@ringfence/engine';
import { between, seededRandom } from '@ringfence/e2e';
import { loadPolicy, type Policy, policyCostMax } from '@ringfence/policy';
import { assert } from '@ringfence/contract';
import { firstRecords } from '../engine/records.ts';
import type { Bar } from '../report/bars.ts';
import { figure, table } from '../report/table.ts';
import { crowded } from './crowded.ts';
import { manyFeatures } from './many-features.ts';

export interface HostileOptions {
  /** At most this many different rules of each kind; fewer if a policy allows fewer. */
  readonly each: number;
  readonly events: number;
  /** Events about one entity, for each kind of feature. */
  readonly crowd: number;
}

const stopMsMax = 50;
const rulesMax = 1_000;
const filesMax = 20;
/** Maximum lengths of texts that functions read, of texts that patterns match, and of names that are compared. */
const textLength = 4_096;
const matchedLength = 512;
const name = 'fedcba gfedcb hgfedc ihgfed jihgfe kjihgf lkjihg mlkjih nmlkji';
const startMs = 1_750_000_000_000;
const letters = 'á'.repeat(textLength);

/**
 * The most expensive conditions: patterns, nested loops, name comparisons, long products. As many rules of each kind as
 * a policy may have.
 */
const kinds: Readonly<Record<string, (at: number) => string>> = {
  'patterns with exponential backtracking': (at) => `transaction.type.matches("(á|á)*[bc](${at})?$")`,
  'patterns that almost match everywhere': (at) => `transaction.category.matches("[ab]*a[ab]{130}[cd](${at})?")`,
  'patterns without capitals': (at) => `transaction.category.matches("(?i)(a|b){1,30}(${at})?[cd]")`,
  'patterns with many partial matches': (at) => `transaction.type.matches("(.*)(.*)[xyz](${at})?$")`,
  'loops within loops': (at) =>
    `[1,2,3,4,5,6,7,8].exists(x, [1,2,3,4,5,6,7,8].exists(y, [1,2,3,4,5,6].exists(z, x * y * z + channelId == ${1_000 + at})))`,
  'names to compare': (at) =>
    Array.from(
      { length: 6 },
      (_, n) => `nameSimilarity(account.email, "nmlkji mlkjih lkjihg kjihgf jihgfe ${at} ${n}") > 0.99`,
    ).join(' || '),
  'texts to search': (at) =>
    Array.from({ length: 3 }, (_, n) => `transaction.description.plain().contains("b${at}-${n}")`).join(' || '),
  'products of decimals': (at) => `${Array.from({ length: 80 }, () => 'order.amount').join(' * ')} > ${at}`,
};

/**
 * Whether hostile rules, or an entity of every event, can stall the engine: the longest processing time of one event,
 * by processor time.
 */
export function hostile(
  { each, events, crowd }: HostileOptions,
  print: (text: string) => void,
): Promise<readonly Bar[]> {
  const rows = Object.entries(kinds).map(
    ([name, kind]) =>
      [
        name,
        longestMs(
          Array.from({ length: Math.min(each, countMax(kind)) }, (_, at) => kind(at)),
          events,
        ),
      ] as const,
  );
  print(table([['maximum number of rules', 'longest event'], ...rows.map(([name, ms]) => [name, `${figure(ms)} ms`])]));
  const ofCrowd = crowded({ events: crowd, startMs });
  print(
    table([
      [`\n${figure(crowd)} events about one entity`, 'longest event'],
      ...ofCrowd.map(([name, ms]) => [name, `${figure(ms)} ms`]),
    ]),
  );
  const ofMany = manyFeatures(startMs);
  print(
    table([
      ['\nas many features as may be', 'longest event'],
      ...ofMany.map(([name, ms]) => [name, `${figure(ms)} ms`]),
    ]),
  );
  const bar = (what: string, of: readonly (readonly [string, number])[]): Bar => ({
    what: `longest event ${what}, processor time`,
    measured: Math.max(...of.map(([, ms]) => ms)),
    bar: stopMsMax,
    must: 'stay below',
    unit: 'ms',
  });
  return Promise.resolve([
    bar('with hostile rules', rows),
    bar('of a crowded entity', ofCrowd),
    bar('with as many features as may be', ofMany),
  ]);
}

/** How many rules of a kind a policy may have. Shared parts are counted once. */
function countMax(kind: (at: number) => string): number {
  // Rules with large numbers are the longest.
  const [first, two] = [1, 2].map(
    (count) => policyOf(Array.from({ length: count }, (_, at) => kind(rulesMax - 1 - at))).cost,
  );
  return 1 + Math.floor((policyCostMax - first!) / (two! - first!));
}

/** Conditions in files of some kilobytes: a policy may be larger than one of its files. */
function policyOf(conditions: readonly string[]): Policy {
  const files = conditions.map((when, at) => {
    const rule = `{ reason: ${at + 1}, name: rule ${at}, on: [operation], when: '${when}', then: { action: 4, message: m } }`;
    return { at: at % filesMax, text: `  - ${rule}\n` };
  });
  const loaded = loadPolicy(
    Array.from({ length: Math.min(filesMax, conditions.length) }, (_, file) => ({
      path: `rules-${file}.yaml`,
      text: `rules:\n${files.flatMap(({ at, text }) => (at === file ? text : [])).join('')}`,
    })),
  );
  assert(loaded.ok, `the rules check: ${loaded.ok ? '' : (loaded.errors[0]?.message ?? '')}`);
  return loaded.policy;
}

function longestMs(conditions: readonly string[], events: number): number {
  const policy = policyOf(conditions);
  const state = newState({ complete: true });
  for (const record of firstRecords(policy, startMs)) step(state, record);
  let longest = 0;
  for (let at = 0; at < events; at++) {
    const record = recordAt(at);
    const began = process.threadCpuUsage();
    const done = step(state, record);
    const { user, system } = process.threadCpuUsage(began);
    // An operation may wait, and be decided with the next one.
    const decisions = done.kind === 'done' ? done.effects.filter(({ kind }) => kind === 'decision') : [];
    assert(
      decisions.every((effect) => effect.kind !== 'decision' || effect.missing.length === 0),
      'a function of a text that is too long, or of a number that is too large, has no value and takes no time',
    );
    longest = Math.max(longest, (user + system) / 1_000);
  }
  return longest;
}

/** Two different letters for each event. */
function twoLetters(at: number): string {
  const random = seededRandom(at);
  return Array.from({ length: matchedLength }, () => (between(random, 0, 1) === 0 ? 'a' : 'b')).join('');
}

/** An operation without a session, with texts of the maximum length that is read. */
function recordAt(at: number): EngineRecord {
  const event: Event = {
    kind: 'operation',
    channelId: 1,
    transaction: {
      reference: `tx-${at}`,
      description: letters,
      type: letters.slice(0, matchedLength),
      category: twoLetters(at),
    },
    account: { client: 'ana', email: name },
    order: { amount: '1.012345' as DecimalText, currency: 'MXN' },
  };
  const logTimeMs = (startMs + at * 60_000) as EpochMs;
  return {
    kind: 'event',
    offset: 2 + at,
    logTimeMs,
    event,
    enrichment: { facts: {} },
    subject: 'a',
    bodyHash: `b${at}`,
    retryOf: undefined,
  };
}
