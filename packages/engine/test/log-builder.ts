import { type DecimalText, type Enrichment, type EpochMs, secondMs } from '@ringfence/contract';
import { loadPolicy, type Policy, type PolicyFile } from '@ringfence/policy';
import type { Action, Decision, Effect } from '../src/effect.ts';
import type { EngineRecord, EngineSettings, EventRecord, Outcome, OutcomeReport } from '../src/record.ts';
import { defaultSettings, type EngineState, newState } from '../src/state.ts';
import { step } from '../src/step.ts';

export const beginMs = 1_760_000_000_000;
export const liveSettings: EngineSettings = { ...defaultSettings, deliver: 'live' };

interface EventOptions {
  /** "" or omitted: the unnamed session. */
  readonly session?: string;
  readonly channelId?: number;
  /** Equal for events with byte-equal bodies; by default each body is different. */
  readonly body?: string;
  readonly retryOf?: number;
  /** The facts from enrichment. */
  readonly facts?: Enrichment['facts'];
}

interface EntryOptions extends EventOptions {
  /** The event's own time, relative to its arrival; by default it states none. */
  readonly statedMs?: number;
  readonly ip?: string;
  readonly data?: string;
}

interface OperationOptions extends EventOptions {
  /** The operation's own time, relative to its arrival; by default its arrival. */
  readonly statedMs?: number;
  /** The day that it states instead of a time. */
  readonly day?: string;
  readonly amount?: string;
  readonly currency?: string;
  readonly reference?: string;
  readonly payee?: string;
}

/** A record without its place in the log. */
export type Body<R> = R extends unknown ? Omit<R, 'offset' | 'logTimeMs'> : never;

/** Builds a log by hand: every call appends a record at the current log time and returns its offset. */
export class LogBuilder {
  readonly records: EngineRecord[] = [];
  #nowMs = beginMs;

  get nowMs(): number {
    return this.#nowMs;
  }

  wait(ms: number): this {
    this.#nowMs += ms;
    return this;
  }

  append(record: Body<EngineRecord>): number {
    const offset = this.records.length;
    this.records.push({ ...record, offset, logTimeMs: this.#nowMs as EpochMs });
    return offset;
  }

  settings(settings: Partial<EngineSettings> = {}): number {
    return this.append({ kind: 'settings', settings: { ...liveSettings, ...settings } });
  }

  policy(policy: Policy, version = 1): number {
    return this.append({ kind: 'policy', version, policy });
  }

  login(user: string, options: EntryOptions = {}): number {
    const { channelId = 1, session, ip = '203.0.113.7', data = 'blob' } = options;
    const named = session === undefined || session === '' ? {} : { session };
    const event = { kind: 'login' as const, channelId, user, ...named, publicIp: ip, data };
    return this.#event(event, user, options);
  }

  logout(user: string, options: EntryOptions = {}): number {
    const { channelId = 1, session, ip } = options;
    const named = session === undefined || session === '' ? {} : { session };
    const event = { kind: 'logout' as const, channelId, user, ...named, ...(ip === undefined ? {} : { publicIp: ip }) };
    return this.#event(event, user, options);
  }

  /** @param user `undefined` for an operation that names no client */
  operation(user: string | undefined, options: OperationOptions = {}): number {
    const { channelId = 1, session, amount = '10', currency = 'EUR', reference, payee = '100' } = options;
    const event = {
      kind: 'operation' as const,
      channelId,
      account: {
        ...(user === undefined ? {} : { client: user }),
        ...(session === undefined || session === '' ? {} : { session }),
      },
      order: { amount: amount as DecimalText, currency },
      accountTo: { bank: 'B1', accountNumber: payee },
      ...(options.day === undefined ? {} : { timestamp: options.day }),
      ...(reference === undefined ? {} : { transaction: { reference } }),
    };
    return this.#event(event, user, options);
  }

  tick(): number {
    return this.append({ kind: 'tick' });
  }

  outcome(
    user: string | undefined,
    outcome: Omit<Outcome, 'result'> & { readonly result?: Outcome['result'] },
  ): number {
    return this.append({
      kind: 'outcome',
      subject: user === undefined ? undefined : subjectOf(user),
      outcome: { result: 'executed', ...outcome },
    });
  }

  /** What the bank reports about the event at this offset. */
  report(offset: number, report: OutcomeReport): number {
    return this.append({ kind: 'report', report, event: this.records[offset] as EventRecord });
  }

  #event(
    event: Extract<EngineRecord, { kind: 'event' }>['event'],
    user: string | undefined,
    options: OperationOptions,
  ): number {
    const isStated = options.day === undefined && (event.kind === 'operation' || options.statedMs !== undefined);
    const statedAtMs = (this.#nowMs + (options.statedMs ?? 0)) as EpochMs;
    return this.append({
      kind: 'event',
      event,
      enrichment: { facts: options.facts ?? {}, ...(isStated ? { statedAtMs } : {}) },
      subject: user === undefined ? undefined : subjectOf(user),
      bodyHash: options.body ?? `body ${this.records.length}`,
      retryOf: options.retryOf,
    });
  }
}

export function subjectOf(user: string): string {
  return `subject of ${user}`;
}

/** A policy from the text of its one file. Throws, and so fails the test, if the policy is invalid. */
export function policyOf(text: string, ...artifacts: readonly PolicyFile[]): Policy {
  const loaded = loadPolicy([{ path: 'policy.yaml', text }, ...artifacts]);
  if (!loaded.ok) throw new Error(loaded.errors.map(({ line, message }) => `line ${line}: ${message}`).join('\n'));
  return loaded.policy;
}

export interface Ran {
  readonly state: EngineState;
  readonly effects: readonly Effect[];
  readonly decisions: ReadonlyMap<number, Decision>;
  readonly actions: readonly Action[];
}

/** Steps records on a state with everything in memory. */
export function run(records: readonly EngineRecord[], state: EngineState = newState({ complete: true })): Ran {
  const effects = records.flatMap((record) => {
    const done = step(state, record);
    if (done.kind === 'need') throw new Error(`needs ${done.keys.join(', ')}`);
    return done.effects;
  });
  const decisions = effects.filter((effect) => effect.kind === 'decision');
  return {
    state,
    effects,
    decisions: new Map(decisions.map((decision) => [decision.offset, decision])),
    actions: effects.filter((effect) => effect.kind === 'action'),
  };
}

/** A policy whose one rule fires on every event and shows these facts. */
export function showing(...paths: readonly string[]): Policy {
  const shown = paths.map((path) => `has(${path}) || !has(${path})`);
  return policyOf(`
rules:
  - reason: 1
    name: shows facts
    on: [login, logout, operation]
    when: ${JSON.stringify(shown.join(' && '))}
    then: { action: 3, message: shown }
    mode: shadow
`);
}

/** The facts that the rule of `showing` saw. */
export function shownBy(decision: Decision | undefined): Readonly<Record<string, string>> {
  return decision?.fired[0]?.facts ?? {};
}

export const graceMs = 5 * secondMs;
