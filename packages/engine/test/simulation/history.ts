import { chargebackStages, dayMs, type EpochMs, hourMs, minuteMs, outcomeNames, secondMs } from '@ringfence/contract';
import type { Policy } from '@ringfence/policy';
import type { Action, Effect } from '../../src/effect.ts';
import { encodeDecision, encodeHoldEffect } from '../../src/encode-decision.ts';
import { engineVersion } from '../../src/engine-version.ts';
import type { EngineRecord, EngineSettings, EventRecord, HistoryStart, OutcomeReport } from '../../src/record.ts';
import { type EngineState, newState } from '../../src/state.ts';
import { nextDueMs, step } from '../../src/step.ts';
import { beginMs, type Body, liveSettings, subjectOf } from '../log-builder.ts';
import { pick, type Random } from '../prng.ts';
import { bounds } from './bounds.ts';
import { crowdLogin, type EventsSoFar, fullEvent, plainEvent, repeated, user } from './events.ts';
import { withFold } from './fold.ts';
import { policies, policiesExcluding, policiesOfKinds, policiesOverLabels } from './policies.ts';
import { policiesOfFacts } from './policies-of-facts.ts';
import { policiesOfLogins } from './policies-of-logins.ts';
import { policiesOfHolds } from './policies-of-holds.ts';

export interface History {
  readonly records: readonly EngineRecord[];
  /** The effects of each record. */
  readonly effects: readonly (readonly Effect[])[];
  /** The same as text that is equal only for equal effects. */
  readonly told: readonly string[];
}

export interface HistoryOptions {
  /** The first is in force from the beginning; the others come and go. */
  readonly policies: readonly Policy[];
  /** Whether events are labelled. */
  readonly labels: boolean;
  /** Whether new features of a policy may begin with the history before it. */
  readonly folds: boolean;
  /** Whether events have all members and come from devices and places. */
  readonly isFull: boolean;
  /** Whether people and the bank decide about held payments, and backups are restored. */
  readonly holds?: boolean;
}

/** Three kinds of history, which together cover everything. */
export const kindsOfHistory = {
  rules: { policies, labels: false, folds: false, isFull: false },
  features: { policies: policiesOfKinds, labels: true, folds: true, isFull: false },
  facts: { policies: policiesOfFacts, labels: true, folds: true, isFull: true },
} as const satisfies Readonly<Record<string, HistoryOptions>>;

/** A history in which payments are held. */
export const historyOfHolds: HistoryOptions = {
  policies: policiesOfHolds,
  labels: true,
  folds: true,
  isFull: false,
  holds: true,
};

/** A history with features that leave out the event itself. */
export const historyExcluding: HistoryOptions = {
  policies: policiesExcluding,
  labels: true,
  folds: true,
  isFull: false,
};

/** A history with policies that read how surprising logins are, and with one that does not. */
export const historyOfLogins: HistoryOptions = {
  policies: policiesOfLogins,
  labels: true,
  folds: true,
  isFull: true,
};

/** A history with every kind of feature over labels. */
export const historyOverLabels: HistoryOptions = {
  policies: policiesOverLabels,
  labels: true,
  folds: true,
  isFull: false,
};

/** The history of a seed; the kinds alternate. */
export function seededHistory(random: Random, seed: number, events: number): History {
  const kinds = Object.values(kindsOfHistory);
  return historyOf(random, events, kinds[seed % kinds.length]);
}

/** Clients that log in together at the beginning of a history with full events. */
const crowd = 10;

/**
 * Generates a log: events of clients whose backends repeat, delay and reorder them, and the consequences of the
 * engine's own actions. Written by stepping one engine that never stops, record by record; all other runs are compared
 * with it.
 */
export function historyOf(random: Random, events: number, of: HistoryOptions = kindsOfHistory.rules): History {
  const state = newState({ complete: true, bounds });
  const records: EngineRecord[] = [];
  const effects: (readonly Effect[])[] = [];
  const actions: Action[] = [];
  let nowMs = beginMs;
  let epoch = 1;
  const append = (body: Body<EngineRecord>): void => {
    const place = { offset: records.length, logTimeMs: nowMs as EpochMs };
    const record = { ...body, ...place, ...(of.holds === true ? { epoch } : {}) };
    const done = step(state, withFold(record, records, state));
    if (done.kind === 'need') throw new Error('a complete state must not request entities');
    records.push(record);
    effects.push(done.effects);
    for (const effect of done.effects) if (effect.kind === 'action') actions.push(effect);
  };
  append({ kind: 'settings', settings: liveSettings });
  append({ kind: 'policy', version: 1, policy: of.policies[0]! });
  for (let place = 0; of.isFull && place < crowd; place++) append(crowdLogin(place));
  for (let event = 0; event < events; event++) {
    nowMs += pick(random, [0, 1, secondMs, 4 * secondMs, minuteMs, 20 * minuteMs, random(20) === 0 ? 9 * hourMs : 0]);
    const dueMs = nextDueMs(state);
    if (dueMs !== undefined && dueMs < nowMs && random(2) === 0) append({ kind: 'tick' });
    if (of.holds === true && random(60) === 0) epoch++;
    if (of.holds === true && random(100) === 0) nowMs += 31 * dayMs;
    append(nextBody(random, { records, actions, nowMs, state }, of));
  }
  nowMs += minuteMs;
  append({ kind: 'tick' });
  return { records, effects, told: effects.map(tellOf) };
}

/** The effects of one record as text that is equal only for equal effects. */
export function tellOf(effects: readonly Effect[]): string {
  return effects
    .map((effect) => {
      if (effect.kind === 'waiting') return `waits ${effect.offset} ${effect.untilMs}`;
      if (effect.kind === 'action') return '';
      if (effect.kind !== 'decision') return Buffer.from(encodeHoldEffect(effect)).toString('hex');
      const actions = effects.filter((other) => other.kind === 'action' && other.offset === effect.offset) as Action[];
      return Buffer.from(encodeDecision(effect, actions)).toString('hex');
    })
    .join('\n');
}

interface Past extends EventsSoFar {
  readonly actions: readonly Action[];
  readonly state: EngineState;
}

function nextBody(random: Random, past: Past, of: HistoryOptions): Body<EngineRecord> {
  const { actions, records } = past;
  if (of.labels && random(12) === 0) return labelled(random, records);
  if (of.labels && of.holds !== true && random(6) === 0) return reported(random, past);
  if (of.holds === true && random(6) === 0) return aboutHold(random, past);
  const chance = random(100);
  if (chance < 8 && records.length > 5) return repeated(random, records) ?? { kind: 'tick' };
  if (chance < 18) return outcomeOf(random, actions) ?? { kind: 'tick' };
  if (chance < 20) return policySwitch(random, past, of);
  if (chance < 21) return { kind: 'erase', subject: subjectOf(user(random)) };
  if (chance < 22) return { kind: 'unblock', subject: subjectOf(user(random)) };
  if (chance < 24) return { kind: 'settings', settings: settingsOf(random) };
  if (chance < 25) return { kind: 'unreadable', event: 'login', subject: subjectOf(user(random)) };
  if (chance < 26) return { kind: 'engine', version: engineVersion };
  if (chance < 31) return instruction(random, past);
  return (of.isFull ? fullEvent : plainEvent)(random, past);
}

/** New features begin empty, or with the whole log. */
function policySwitch(random: Random, { records, state }: Past, of: HistoryOptions): Body<EngineRecord> {
  const { settings } = state;
  const history: HistoryStart = { fromOffset: 0, sinceMs: beginMs, segments: [], settings };
  return {
    kind: 'policy',
    version: records.length,
    policy: pick(random, of.policies),
    ...(of.folds && random(2) === 0 ? { history } : {}),
  };
}

function settingsOf(random: Random): EngineSettings {
  return {
    ...liveSettings,
    deliver: pick(random, ['live', 'live', 'observe']),
    sessionGraceMs: pick(random, [0, 5_000, 60_000]),
    timezone: pick(random, ['UTC', 'America/Mexico_City']),
    channels: pick(random, [
      {},
      { '2': { ...liveSettings.sessionDefaults, sessions: 'optional' as const, device: 'none' as const } },
      { '1': { ...liveSettings.sessionDefaults, absoluteMs: 5 * minuteMs } },
    ]),
  };
}

/** Records that a person may cause while the policy stays the same. */
function instruction(random: Random, { actions, nowMs }: Past): Body<EngineRecord> {
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
      const reason = pick(random, [100, 110, 120, 130, 200, 300, 910]);
      return { kind: 'suppress', suppression: { reason, of, untilMs: random(4) === 0 ? undefined : untilMs } };
    }
    default: {
      const capped = actions.filter(({ state }) => state === 'held');
      if (capped.length === 0) return { kind: 'tick' };
      const { offset, reason, position, subject } = pick(random, capped);
      const change = pick(random, ['release', 'drop'] as const);
      return { kind: 'held', subject, held: { change, actions: [{ offset, reason, position }] } };
    }
  }
}

/** A step of a person's decision about a held payment, or what the bank did with it. */
function aboutHold(random: Random, { records, state }: Past): Body<EngineRecord> {
  const { open } = state.holds;
  const { offset, reason, position } =
    open.length === 0 ? { offset: records.length - 1, reason: 100, position: 0 } : pick(random, open).ref;
  const hold = { offset, reason, position };
  const held = records[offset];
  const subject = held?.kind === 'event' ? held.subject : undefined;
  if (random(3) > 0) {
    const change = pick(random, ['propose', 'withdraw', 'release', 'reject'] as const);
    return { kind: 'hold', subject, hold: { hold, change, author: 'eva' } };
  }
  const hasMembers = open.find(({ members }) => members.length > 1);
  const member = hasMembers?.members.at(-1)?.ref.offset ?? offset;
  const event = records[member];
  const outcome = pick(random, ['executed', 'cancelled', 'released', 'rejected', 'refund'] as const);
  return { kind: 'report', report: { outcome }, event: event?.kind === 'event' ? event : undefined };
}

/** Labels, some late, repeated or withdrawn, or for an event that can no longer be decrypted. */
function labelled(random: Random, records: readonly EngineRecord[]): Body<EngineRecord> {
  const events = records.filter((record) => record.kind === 'event');
  const event = random(10) === 0 ? undefined : events.at(-1 - random(Math.max(1, events.length)));
  return { kind: 'label', label: pick(random, ['fraud', 'fraud', 'legitimate'] as const), event };
}

/** What a bank reports about an event, or about the last step-ups that were asked for. */
function reported(random: Random, { actions, records }: Past): Body<EngineRecord> {
  const outcome = pick(random, outcomeNames);
  const asked = actions.filter(({ action }) => action > 5).slice(-8);
  const action = outcome.startsWith('stepUp') && asked.length > 0 ? pick(random, asked) : undefined;
  const events = records.filter((record) => record.kind === 'event');
  const event = action === undefined ? events.at(-1 - random(Math.max(1, events.length))) : records[action.offset];
  const label = ({ fraud: 'fraud', legitimate: 'legitimate', retracted: 'none' } as const)[outcome as 'fraud'];
  const report: OutcomeReport = {
    outcome,
    ...(action === undefined
      ? { loss: String(random(30)), stage: pick(random, chargebackStages), code: '4837' }
      : { action, method: pick(random, ['passkey', 'token', 'sms']) }),
    ...(random(2) === 0 ? {} : { currency: 'EUR', recovered: '1.5', type: 'accountTakeover' }),
    ...(label === undefined ? {} : { label }),
  };
  return { kind: 'report', report, event: random(12) === 0 ? undefined : (event as EventRecord | undefined) };
}

/** The outcome of an action that was sent, or of a capped one that a person may have released. */
function outcomeOf(random: Random, actions: readonly Action[]): Body<EngineRecord> | undefined {
  const sent = actions.filter(({ state }) => state === 'due' || state === 'held');
  if (sent.length === 0) return undefined;
  // Most outcomes come soon, some much later.
  const { offset, reason, position, action, subject } = pick(random, random(4) === 0 ? sent : sent.slice(-6));
  const result = pick(random, [
    'executed',
    'executed',
    'executed',
    'executed',
    'failed',
    'notExecuted',
    'expired',
  ] as const);
  return { kind: 'outcome', subject, outcome: { offset, reason, position, action, result } };
}
