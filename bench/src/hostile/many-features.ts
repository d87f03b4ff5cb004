import { assert, type DecimalText, type EpochMs, type Event } from '@ringfence/contract';
import { type EngineRecord, newState, step } from '@ringfence/engine';
import { exactRows, loadPolicy, type Policy, policyCostMax } from '@ringfence/policy';
import { firstRecords } from '../engine/records.ts';

/** Kinds of feature that read the rows of their window, and a value that occurs in none of them. */
const kinds = {
  counts: { feature: 'count: true', never: '-1.5' },
  sums: { feature: 'sum: order.amount', never: '-1' },
  largest: { feature: 'max: order.amount', never: '-1' },
  'standard deviations': { feature: 'stddev: order.amount', never: '0.7654321' },
  medians: { feature: 'median: order.amount', never: '-1' },
  'different values': { feature: 'distinct: payee.id', never: '-1.5' },
  'shares of values': { feature: 'topShare: payee.id', never: '0.7654321' },
  habits: { feature: 'habit: payee.id', never: '0.7654321' },
};

type Kind = (typeof kinds)[keyof typeof kinds];

/** The maximum number in a policy, whatever their cost. */
const featuresMax = 200;
const hourMs = 3_600_000;
const stepMs = 5_000;
/** Events of each of the variants below. */
const turns = 32;

/** Properties that differ from one event to the next, so that the engine reads all rows again. */
const turnsOf: readonly ((at: number) => Pick<Told, 'currency' | 'lateMs' | 'amount'>)[] = [
  (at) => ({ currency: at % 2 === 0 ? 'EUR' : 'USD', lateMs: 0, amount: '12.50' }),
  (at) => ({ currency: 'EUR', lateMs: at % 2 === 0 ? 0 : 20 * hourMs, amount: '12.50' }),
  (at) => ({ currency: 'EUR', lateMs: 0, amount: `${at}12345678901.123456` }),
];

interface Told {
  readonly at: number;
  readonly atMs: number;
  readonly currency: string;
  readonly lateMs: number;
  readonly amount: string;
}

/**
 * The longest processing time of one event about one channel, ms, with the maximum number of rows, and the maximum
 * number of features of one kind, each over another window: currencies alternate, events are late, amounts are large.
 */
export function manyFeatures(startMs: number): readonly (readonly [string, number])[] {
  return Object.entries(kinds).map(([name, kind]) => {
    const policy = policyOf(kind, Math.min(featuresMax, countMax(kind)));
    return [`${policy.features.length} ${name}`, longestMs(policy, startMs)] as const;
  });
}

/** How many features of a kind a policy may have. */
function countMax(kind: Kind): number {
  const [one, two] = [1, 2].map((count) => policyOf(kind, count).cost);
  return 1 + Math.floor((policyCostMax - one!) / (two! - one!));
}

function policyOf({ feature, never }: Kind, count: number): Policy {
  const all = Array.from({ length: count }, (_, at) => at);
  const features = all.map((at) => `  kept${at}: { ${feature}, by: channelId, over: ${30 * 24 * 60 + at}m }\n`);
  const rules = all.map(
    (at) =>
      `  - { reason: ${at + 1}, name: rule ${at}, on: [operation], when: kept${at} == ${never}, then: { action: 4, message: m } }\n`,
  );
  const text = `features:\n${features.join('')}rules:\n${rules.join('')}`;
  const loaded = loadPolicy([{ path: 'rules.yaml', text }]);
  assert(loaded.ok, `the features check: ${loaded.ok ? '' : (loaded.errors[0]?.message ?? '')}`);
  return loaded.policy;
}

function longestMs(policy: Policy, startMs: number): number {
  const state = newState({ complete: true });
  for (const record of firstRecords(policy, startMs)) step(state, record);
  let longest = 0;
  const take = (at: number, told: Omit<Told, 'at' | 'atMs'>): void => {
    const record = recordOf({ at, atMs: startMs + at * stepMs, ...told });
    const began = process.threadCpuUsage();
    step(state, record);
    const { user, system } = process.threadCpuUsage(began);
    longest = Math.max(longest, (user + system) / 1_000);
  };
  let at = 0;
  // Blocks of one currency: every change would read all rows.
  for (; at < exactRows; at++) {
    const currency = at % 128 < 64 ? 'EUR' : 'USD';
    take(at, { currency, lateMs: 0, amount: `${(at * 31) % 1_000}.50` });
  }
  for (const turn of turnsOf) for (const end = at + turns; at < end; at++) take(at, turn(at));
  return longest;
}

function recordOf({ at, atMs, currency, lateMs, amount }: Told): EngineRecord {
  const event: Event = {
    kind: 'operation',
    channelId: 1,
    transaction: { reference: `tx-${at}` },
    account: { client: `client-${at % 100}` },
    order: { amount: amount as DecimalText, currency },
    accountTo: { accountNumber: `payee-${at}` },
  };
  return {
    kind: 'event',
    offset: 2 + at,
    logTimeMs: atMs as EpochMs,
    event,
    enrichment: { statedAtMs: (atMs - lateMs) as EpochMs, facts: {} },
    subject: `client-${at % 100}`,
    bodyHash: `b${at}`,
    retryOf: undefined,
  };
}
