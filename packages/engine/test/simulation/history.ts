import { type DecimalText, type EpochMs, hourMs, minuteMs, secondMs } from '@ringfence/contract';
import type { Action, Effect } from '../../src/effect.ts';
import { encodeDecision } from '../../src/encode-decision.ts';
import type { EngineRecord, EventRecord } from '../../src/record.ts';
import { newState } from '../../src/state.ts';
import { nextDueMs, step } from '../../src/step.ts';
import type { EntityBounds } from '../../src/features/layout.ts';
import { beginMs, liveSettings, subjectOf } from '../log-builder.ts';
import { pick, type Random } from '../prng.ts';
import type { Policy } from '@ringfence/policy';
import { policies } from './policies.ts';

/** Small, so that short histories are crowds. */
export const bounds: EntityBounds = { rowsMax: 32, exactBucketsMax: 4, distinctValuesMax: 3, sweepRowsMin: 4 };

export interface History {
  readonly records: readonly EngineRecord[];
  /** What followed from each record, in bytes. */
  readonly told: readonly string[];
  /** How many actions went out. */
  readonly actions: number;
}

export interface HistoryOptions {
  /** The first is in force from the beginning; the others come and go. */
  readonly policies: readonly Policy[];
  /** Whether people say what events turned out to be. */
  readonly labels: boolean;
}

type Body<R> = R extends unknown ? Omit<R, 'offset' | 'logTimeMs'> : never;

/**
 * A log as it comes about: events of clients whose backends repeat, delay and reorder them, and what the engine's own
 * actions lead to. Written by stepping one engine that never stops, which is also what every other run is held against.
 */
export function historyOf(random: Random, events: number, of: HistoryOptions = { policies, labels: false }): History {
  const state = newState({ complete: true, bounds });
  const records: EngineRecord[] = [];
  const told: string[] = [];
  const sent: Action[] = [];
  let nowMs = beginMs;
  const append = (body: Body<EngineRecord>): void => {
    const record = { ...body, offset: records.length, logTimeMs: nowMs as EpochMs };
    const done = step(state, record);
    if (done.kind === 'need') throw new Error('a complete state needs nothing');
    records.push(record);
    told.push(tellOf(done.effects));
    for (const effect of done.effects) if (effect.kind === 'action' && effect.state === 'due') sent.push(effect);
  };
  append({ kind: 'settings', settings: liveSettings });
  append({ kind: 'policy', version: 1, policy: of.policies[0]! });
  for (let event = 0; event < events; event++) {
    nowMs += pick(random, [0, 1, secondMs, 4 * secondMs, minuteMs, 20 * minuteMs, random(20) === 0 ? 9 * hourMs : 0]);
    const dueMs = nextDueMs(state);
    if (dueMs !== undefined && dueMs < nowMs && random(2) === 0) append({ kind: 'tick' });
    append(nextBody(random, { records, sent, nowMs, of }));
  }
  nowMs += minuteMs;
  append({ kind: 'tick' });
  return { records, told, actions: sent.length };
}

/** The effects of one record as a text that is equal only for equal effects. */
export function tellOf(effects: readonly Effect[]): string {
  return effects
    .map((effect) => {
      if (effect.kind === 'waiting') return `waits ${effect.offset} ${effect.untilMs}`;
      if (effect.kind === 'action') return '';
      const actions = effects.filter((other) => other.kind === 'action' && other.offset === effect.offset) as Action[];
      return encodeDecision(effect, actions).join();
    })
    .join('\n');
}

interface Past {
  readonly records: readonly EngineRecord[];
  readonly sent: readonly Action[];
  readonly nowMs: number;
  readonly of: HistoryOptions;
}

function nextBody(random: Random, past: Past): Body<EngineRecord> {
  if (past.of.labels && random(12) === 0) return labelled(random, past.records);
  const chance = random(100);
  if (chance < 8 && past.records.length > 5) return repeated(random, past.records);
  if (chance < 18 && past.sent.length > 0) return outcomeOf(random, pick(random, past.sent));
  if (chance < 20) return { kind: 'policy', version: past.records.length, policy: pick(random, past.of.policies) };
  if (chance < 21) return { kind: 'erase', subject: subjectOf(user(random)) };
  if (chance < 22) return { kind: 'unblock', subject: subjectOf(user(random)) };
  if (chance < 23) {
    const deliver = pick(random, ['live', 'observe'] as const);
    return {
      kind: 'settings',
      settings: { ...liveSettings, deliver, sessionGraceMs: pick(random, [0, 5_000, 60_000]) },
    };
  }
  if (chance < 24) return { kind: 'unreadable', event: 'login', subject: subjectOf(user(random)) };
  if (chance < 27) return instruction(random, past);
  return eventOf(random, past);
}

/** What a person may say to a workspace while its policy stays. */
function instruction(random: Random, { nowMs, sent }: Past): Body<EngineRecord> {
  const untilMs = nowMs + pick(random, [60_000, 3_600_000, 86_400_000]);
  switch (random(3)) {
    case 0: {
      const item = `B/${random(6)}`;
      const put = random(3) === 0 ? [] : [random(2) === 0 ? { item } : { item, untilMs }];
      return { kind: 'list', change: { list: 'watched', put, remove: put.length > 0 ? [] : [item] } };
    }
    case 1: {
      const of = pick(random, [
        { kind: 'client', subject: subjectOf(user(random)) },
        { kind: 'payee', payee: `B/${random(6)}` },
      ] as const);
      const reason = pick(random, [100, 200, 300, 910]);
      return { kind: 'suppress', suppression: { reason, of, untilMs: random(4) === 0 ? undefined : untilMs } };
    }
    default: {
      const held = sent.find(({ state }) => state === 'held');
      if (held === undefined) return { kind: 'tick' };
      const { offset, reason, position, subject } = held;
      const change = pick(random, ['release', 'drop'] as const);
      return { kind: 'held', subject, held: { change, actions: [{ offset, reason, position }] } };
    }
  }
}

function user(random: Random): string {
  return pick(random, ['ana', 'bob', 'eva', 'joe']);
}

/** Told late, sometimes twice, sometimes taken back. */
function labelled(random: Random, records: readonly EngineRecord[]): Body<EngineRecord> {
  const events = records.filter((record) => record.kind === 'event');
  const event = events.at(-1 - random(Math.max(1, events.length)));
  return { kind: 'label', label: pick(random, ['fraud', 'fraud', 'legitimate'] as const), event };
}

/** Sent again: with its key, or without. */
function repeated(random: Random, records: readonly EngineRecord[]): Body<EngineRecord> {
  const events = records.filter((record) => record.kind === 'event');
  const event: EventRecord | undefined = events.at(-1 - random(Math.min(6, events.length)));
  if (event === undefined) return { kind: 'tick' };
  const { offset, logTimeMs: _, ...body } = event;
  return random(3) === 0 ? { ...body, retryOf: offset } : body;
}

function outcomeOf(random: Random, { offset, reason, position, action, subject }: Action): Body<EngineRecord> {
  const result = pick(random, ['executed', 'executed', 'executed', 'failed'] as const);
  return { kind: 'outcome', subject, outcome: { offset, reason, position, action, result } };
}

function eventOf(random: Random, { records, nowMs }: Past): Body<EngineRecord> {
  const name = user(random);
  const channelId = 1 + random(2);
  const session = pick(random, [{}, { session: 's1' }, { session: `of ${name}` }]);
  const rest = { subject: subjectOf(name), bodyHash: `body ${records.length}`, retryOf: undefined };
  const kind = random(10);
  if (kind < 2) {
    const publicIp = pick(random, ['192.0.2.1', '192.0.2.2']);
    const event = { kind: 'login' as const, channelId, user: name, ...session, publicIp, data: '' };
    return { kind: 'event', event, door: { facts: {} }, ...rest };
  }
  if (kind === 2) {
    return {
      kind: 'event',
      event: { kind: 'logout', channelId, user: name, ...session },
      door: { facts: {} },
      ...rest,
    };
  }
  const named = random(20) > 0;
  const lateMs = pick(random, [0, 0, 0, secondMs, -secondMs, 3 * hourMs, 23 * hourMs, 30 * hourMs]);
  const digits = pick(random, ['5', '10.25', '60', '99.999999', '9007199254', '0.000001']);
  return {
    kind: 'event',
    event: {
      kind: 'operation',
      channelId,
      account: named ? { client: name, ...session } : { ...session },
      order: { amount: digits as DecimalText, currency: pick(random, ['EUR', 'EUR', 'MXN']) },
      accountTo: { bank: 'B', accountNumber: String(random(6)) },
      ...(random(2) === 0 ? {} : { transaction: { reference: `r${records.length}` } }),
    },
    door: { facts: {}, statedAtMs: (nowMs - lateMs) as EpochMs },
    ...rest,
    subject: named ? rest.subject : undefined,
  };
}
