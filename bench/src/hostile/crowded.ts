import { assert, type DecimalText, type EpochMs, type Event } from '@ringfence/contract';
import { type EngineRecord, type EventRecord, newState, step } from '@ringfence/engine';
import { loadPolicy } from '@ringfence/policy';
import { firstRecords } from '../engine/records.ts';

/** Kinds of feature that keep data of every event in their window. */
const kinds = {
  'different values': { feature: 'distinct: payee.id', when: 'kept > 1000000000' },
  'shares of values': { feature: 'topShare: payee.id', when: 'kept > 2.0' },
  median: { feature: 'median: order.amount', when: 'kept > 1000000000' },
  'standard deviation': { feature: 'stddev: order.amount', when: 'kept > 1000000000' },
  largest: { feature: 'max: order.amount', when: 'kept > 1000000000' },
  sum: { feature: 'sum: order.amount', when: 'kept > 1000000000' },
  'run of fraud': { feature: 'fraudRun: true, after: 1m', when: 'kept > 1000000000', isLabelled: true },
} as const satisfies Record<string, Kind>;

interface Kind {
  readonly feature: string;
  readonly when: string;
  /** Whether each event is then labelled as fraud. */
  readonly isLabelled?: true;
}

interface Crowd {
  readonly events: number;
  readonly startMs: number;
}

/** Primes, so that consecutive events have distant numbers. */
const [payees, payeeStep] = [1_000_003, 104_729];
const clients = 5_000;
const stepMs = 5_000;

/** The longest processing time of one event when all events are about one channel, by kind of feature, ms. */
export function crowded(crowd: Crowd): readonly (readonly [string, number])[] {
  return Object.entries(kinds).map(([name, kind]) => [name, longestMs(kind, crowd)] as const);
}

function longestMs({ feature, when, isLabelled }: Kind, { events, startMs }: Crowd): number {
  const text = `features:
  kept: { ${feature}, by: channelId, over: 30d }
rules:
  - { reason: 1, name: Any, on: [operation], when: ${when}, then: { action: 4, message: m } }
`;
  const loaded = loadPolicy([{ path: 'rules.yaml', text }]);
  assert(loaded.ok, `the rule checks: ${loaded.ok ? '' : (loaded.errors[0]?.message ?? '')}`);
  const state = newState({ complete: true });
  for (const record of firstRecords(loaded.policy, startMs)) step(state, record);
  let longest = 0;
  for (let at = 0; at < events; at++) {
    const record = recordAt(at, startMs + at * stepMs);
    const began = process.threadCpuUsage();
    step(state, record);
    if (isLabelled === true) step(state, labelOf(record));
    const { user, system } = process.threadCpuUsage(began);
    longest = Math.max(longest, (user + system) / 1_000);
  }
  return longest;
}

function labelOf(event: EventRecord): EngineRecord {
  return { kind: 'label', label: 'fraud', event, offset: event.offset + 0.5, logTimeMs: event.logTimeMs };
}

function recordAt(at: number, timeMs: number): EventRecord {
  const atMs = timeMs as EpochMs;
  const client = `client-${at % clients}`;
  const event: Event = {
    kind: 'operation',
    channelId: 1,
    transaction: { reference: `tx-${at}` },
    account: { client },
    order: { amount: `${(at * 31) % 1_000}.50` as DecimalText, currency: 'EUR' },
    accountTo: { accountNumber: `payee-${(at * payeeStep) % payees}` },
  };
  const enrichment = { statedAtMs: atMs, facts: {} };
  return {
    kind: 'event',
    offset: 2 + at,
    logTimeMs: atMs,
    event,
    enrichment,
    subject: client,
    bodyHash: `b${at}`,
    retryOf: undefined,
  };
}
