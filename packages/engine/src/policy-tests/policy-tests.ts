import { assert, type EpochMs, type EventKind, minuteMs, timeZone, type TimeZone } from '@ringfence/contract';
import { explain, isNearMiss, type Policy, type PolicyTest, type TestOutcome } from '@ringfence/policy';
import type { Action, Decision, Effect } from '../effect.ts';
import type { EngineRecord, EngineSettings, EventRecord } from '../record.ts';
import { defaultSettings, newState } from '../state.ts';
import { step } from '../step.ts';
import { differencesOf, type Firing, type Refusal, refusalText, spanText } from './differences.ts';
import { missingText, reportOf } from './test-outcome.ts';
import { readTestEvent, type TestEvent } from './test-event.ts';

/** The result of one of the policy's own tests. */
export interface TestReport {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly passed: boolean;
  /** Expectations that were not met, and unexpected firings, in words; empty if it passed. */
  readonly differences: readonly string[];
  /** Reasons of the rules that fired, each once. */
  readonly fired: readonly number[];
  /** Reasons of the rules that nearly fired: without one part of the condition, they would have. */
  readonly missed: readonly number[];
}

/** Monday 2026-01-05 12:00 UTC: tests with dates can rely on it. */
const beginMs = 1_767_614_400_000;

/**
 * Runs the policy's own tests, each on a new engine. Operations that wait for their login at the end are given the
 * time to be decided. A rule within its cooldown counts as not fired, and a capped action as not requested. No event is
 * in a control group, which would choose it by chance.
 *
 * @param settings of the workspace; by default the engine's defaults with `deliver: live`
 */
export function runPolicyTests(
  policy: Policy,
  settings: EngineSettings = { ...defaultSettings, deliver: 'live' },
): readonly TestReport[] {
  const aside = shadowsOfPacks(policy);
  return policy.tests.map((test) => {
    const { name, file, line } = test;
    const placed = { ...settings, timezone: test.timezone ?? settings.timezone };
    const { firings, missed, untold, refusals } = new TestRun(policy, placed, test.expect).run(test);
    const named = new Set(test.expect.map(({ reason }) => reason));
    const seen = firings.filter(({ rule: { reason } }) => named.has(reason) || !aside.has(reason));
    const differences = untold.length > 0 ? untold : differencesOf(test.expect, seen, refusals);
    const fired = [...new Set(firings.map(({ rule }) => rule.reason))];
    return { name, file, line, passed: differences.length === 0, differences, fired, missed: [...missed] };
  });
}

/** Reasons of the rules, live or in shadow, that fired in no test, except rules tested in their pack. */
export function unfiredRules(policy: Policy, reports: readonly TestReport[]): readonly number[] {
  return rulesWithout(policy, new Set(reports.flatMap((report) => report.fired)));
}

/**
 * Reasons of the rules, live or in shadow, that no test covers at the boundary, where one part less would make them
 * fire; except rules tested in their pack.
 */
export function unmissedRules(policy: Policy, reports: readonly TestReport[]): readonly number[] {
  return rulesWithout(policy, new Set(reports.flatMap((report) => report.missed)));
}

/**
 * Reasons of the rules, live or in shadow, that are tested in their pack: the policy uses the pack, and runs only its
 * own tests. Empty for a pack that is loaded alone, with its tests.
 */
export function rulesTestedInPacks(policy: Policy): readonly number[] {
  const played = new Set(policy.tests.map(({ file }) => file));
  const rules = policy.rules.filter((rule) => rule.pack !== undefined && rule.mode !== 'off' && !played.has(rule.file));
  return rules.map(({ reason }) => reason);
}

/** Those of them that are in shadow: tests need not mention them. */
function shadowsOfPacks(policy: Policy): ReadonlySet<number> {
  const inPacks = new Set(rulesTestedInPacks(policy));
  const shadows = policy.rules.filter(({ mode, reason }) => mode === 'shadow' && inPacks.has(reason));
  return new Set(shadows.map(({ reason }) => reason));
}

function rulesWithout(policy: Policy, shown: ReadonlySet<number>): readonly number[] {
  const inPacks = new Set(rulesTestedInPacks(policy));
  const asked = policy.rules.filter(({ mode, reason }) => mode !== 'off' && !inPacks.has(reason));
  return asked.filter(({ reason }) => !shown.has(reason)).map(({ reason }) => reason);
}

/** A step of a test: an event, an executed action, or a reported outcome. */
type Happening =
  | { readonly atMs: number; readonly event: TestEvent }
  | { readonly atMs: number; readonly executed: PolicyTest['executed'][number] }
  | { readonly atMs: number; readonly outcome: TestOutcome };

type RecordBody = EngineRecord extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'offset' | 'logTimeMs'>
    : never
  : never;

/** One test on one engine. */
class TestRun {
  readonly #policy: Policy;
  readonly #zone: TimeZone;
  readonly #state = newState({ complete: true });
  readonly #firings: (Omit<Firing, 'held'> & { readonly offset: number })[] = [];
  readonly #actions: Action[] = [];
  readonly #events: EventRecord[] = [];
  readonly #missed = new Set<number>();
  readonly #refusals: Refusal[] = [];
  readonly #expected: ReadonlySet<number>;
  /** When each event arrived, by offset. */
  readonly #arrivals = new Map<number, number>();

  constructor(policy: Policy, settings: EngineSettings, expect: PolicyTest['expect']) {
    this.#policy = policy;
    this.#zone = timeZone(settings.timezone) ?? timeZone('UTC')!;
    this.#expected = new Set(expect.map(({ reason }) => reason));
    this.#step(0, { kind: 'settings', settings });
    const models = policy.models.map((model) => ({ ...model, control: undefined }));
    this.#step(0, { kind: 'policy', version: 1, policy: { ...policy, models } });
  }

  run(test: PolicyTest): {
    readonly firings: readonly Firing[];
    readonly missed: ReadonlySet<number>;
    readonly refusals: readonly Refusal[];
    /** Outcomes of actions that were never requested. */
    readonly untold: readonly string[];
  } {
    const happenings = happeningsOf(test, this.#zone);
    for (const [list, items] of Object.entries(test.lists)) {
      this.#step(0, { kind: 'list', change: { list, put: items.map((item) => ({ item })), remove: [] } });
    }
    const untold = happenings.flatMap((happening) => this.#happen(happening));
    // Longer than any operation waits.
    this.#step((happenings.at(-1)?.atMs ?? 0) + minuteMs, { kind: 'tick' });
    const firings = this.#firings.map((firing) => ({
      ...firing,
      held: this.#heldOf(firing.offset, firing.rule.reason),
    }));
    return { firings, missed: this.#missed, untold, refusals: this.#refusals };
  }

  #heldOf(offset: number, reason: number): readonly number[] {
    const held = this.#actions.filter(({ state }) => state === 'held');
    return held.filter((action) => action.offset === offset && action.reason === reason).map(({ action }) => action);
  }

  #happen(happening: Happening): readonly string[] {
    if ('event' in happening) {
      this.#arrivals.set(this.#state.offset + 1, happening.atMs);
      const event = { kind: 'event', ...happening.event, retryOf: undefined } as const;
      const place = { offset: this.#state.offset + 1, logTimeMs: (beginMs + happening.atMs) as EpochMs };
      this.#events.push({ ...event, ...place });
      this.#step(happening.atMs, event);
      return [];
    }
    if ('outcome' in happening) {
      // An operation that waited for its login in vain may only be decided now.
      this.#step(happening.atMs, { kind: 'tick' });
      const report = reportOf(happening.outcome, {
        events: this.#events,
        actions: this.#actions,
        policy: this.#policy,
      });
      if (report === undefined) return [missingText(happening.outcome)];
      this.#step(happening.atMs, { kind: 'report', ...report });
      return [];
    }
    const { reason, action } = happening.executed;
    const meant = this.#actions.findLast((sent) => sent.reason === reason && sent.action === action);
    if (meant === undefined) {
      return [`action ${action} of rule ${reason} was not requested before ${spanText(happening.atMs)}`];
    }
    const { offset, position, subject } = meant;
    this.#step(happening.atMs, {
      kind: 'outcome',
      subject,
      outcome: { offset, reason, position, action, result: 'executed' },
    });
    return [];
  }

  #step(atMs: number, record: RecordBody): void {
    const logTimeMs = (beginMs + atMs) as EpochMs;
    const done = step(this.#state, { ...record, offset: this.#state.offset + 1, logTimeMs });
    assert(done.kind === 'done', 'a complete state must not request entities');
    for (const effect of done.effects) this.#take(effect);
    const last = done.effects.findLast((effect) => effect.kind === 'decision');
    if (last?.outcome !== 'decided') return;
    this.#noteMisses(last.event);
    this.#noteRefusals(last);
  }

  /** Why rules that the test expects did not match the event that was decided last. */
  #noteRefusals({ offset, event, fired }: Decision): void {
    const atMs = this.#arrivals.get(offset) ?? 0;
    for (const rule of this.#policy.rules) {
      if (!this.#expected.has(rule.reason) || !rule.on.has(event)) continue;
      const held = fired.find(({ reason }) => reason === rule.reason)?.suppressed;
      const { holds, conditions } = explain(rule, this.#state.decidedFacts);
      if (held !== undefined)
        this.#refusals.push({ reason: rule.reason, atMs, why: `it was suppressed by its ${held}` });
      else if (holds !== true) this.#refusals.push({ reason: rule.reason, atMs, why: refusalText(conditions) });
    }
  }

  /** Near misses of the event that was decided last, whose facts are still available. */
  #noteMisses(event: EventKind): void {
    const { decidedFacts: facts } = this.#state;
    for (const rule of this.#policy.rules) {
      if (rule.on.has(event) && isNearMiss(rule, facts)) this.#missed.add(rule.reason);
    }
  }

  #take(effect: Effect): void {
    if (effect.kind === 'action') this.#actions.push(effect);
    if (effect.kind !== 'decision') return;
    const atMs = this.#arrivals.get(effect.offset) ?? 0;
    for (const rule of effect.fired) {
      if (rule.suppressed !== undefined) continue;
      const actions = this.#policy.rules.find(({ reason }) => reason === rule.reason)?.then ?? [];
      this.#firings.push({ offset: effect.offset, rule, atMs, actions: actions.map(({ action }) => action) });
    }
  }
}

/** Events and outcomes by time; at equal times events come first. */
function happeningsOf(test: PolicyTest, zone: TimeZone): readonly Happening[] {
  const events = test.given.map((given): Happening => {
    return { atMs: given.atMs, event: readTestEvent(given, (beginMs + given.atMs) as EpochMs, zone) };
  });
  const answers = test.executed.map((executed): Happening => ({ atMs: executed.atMs, executed }));
  const outcomes = test.outcomes.map((outcome): Happening => ({ atMs: outcome.atMs, outcome }));
  return [...events, ...answers, ...outcomes].toSorted((a, b) => a.atMs - b.atMs);
}
