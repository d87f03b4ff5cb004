import { eventKinds, outcomeNames } from '@ringfence/contract';
import { factDefinitions } from '@ringfence/policy';
import type { Action, Decision, Effect, FiredRule, SessionMismatch } from '../../src/effect.ts';
import type { KeptBecause, Resolution } from '../../src/holds/hold.ts';
import type { EngineRecord, HeldChange, HoldChange, Label, Outcome } from '../../src/record.ts';
import type { History } from './history.ts';
import { policiesOfFacts } from './policies-of-facts.ts';

/** Every member of a union: a new one does not compile until it is listed here. */
function membersOf<Member extends string>(members: Readonly<Record<Member, true>>): readonly Member[] {
  return Object.keys(members) as Member[];
}

const records = membersOf<EngineRecord['kind']>({
  event: true,
  unreadable: true,
  policy: true,
  settings: true,
  engine: true,
  tick: true,
  unblock: true,
  list: true,
  suppress: true,
  held: true,
  erase: true,
  label: true,
  report: true,
  outcome: true,
  hold: true,
});
const effects = membersOf<Effect['kind']>({
  decision: true,
  waiting: true,
  action: true,
  holdOpened: true,
  holdJoined: true,
  holdKept: true,
  holdLeft: true,
  holdResolved: true,
});
const ends = membersOf<Resolution['by']>({
  person: true,
  deadline: true,
  bank: true,
  age: true,
  erased: true,
  dropped: true,
  crowded: true,
});
const kept = membersOf<KeptBecause>({ policy: true, fraud: true, blocked: true, proposed: true, interrupted: true });
const steps = membersOf<HoldChange['change']>({ propose: true, withdraw: true, release: true, reject: true });
const outcomes = membersOf<Decision['outcome']>({ decided: true, repeat: true, unreadable: true });
const mismatches = membersOf<SessionMismatch>({
  noLogin: true,
  otherClient: true,
  otherChannel: true,
  closed: true,
  expired: true,
});
const modes = membersOf<FiredRule['mode']>({ live: true, shadow: true });
const suppressions = membersOf<NonNullable<FiredRule['suppressed']>>({
  cooldown: true,
  suppression: true,
  hold: true,
  control: true,
});
const states = membersOf<Action['state']>({ due: true, held: true, observed: true, notAddressable: true });
const formats = membersOf<Action['format']>({ text: true, html: true });
const results = membersOf<Outcome['result']>({ executed: true, notExecuted: true, failed: true, expired: true });
const changes = membersOf<HeldChange['change']>({ release: true, drop: true });
const labels = membersOf<Label>({ fraud: true, legitimate: true });

/** Everything that some history must cover, by name. A fact must be read with a value, and with each of its values. */
export function toCover(): readonly string[] {
  return [
    ...records.map((kind) => `record ${kind}`),
    'policy with history',
    'label of an unreadable event',
    'report of an unreadable event',
    ...outcomeNames.map((outcome) => `reported ${outcome}`),
    ...[...labels, 'none'].map((label) => `reported as ${label}`),
    'list put',
    'list put until',
    'list remove',
    'suppress client',
    'suppress payee',
    'suppress ended',
    ...changes.map((change) => `capped action ${change}`),
    ...labels.map((label) => `label ${label}`),
    ...results.map((result) => `outcome ${result}`),
    ...steps.map((step) => `hold ${step}`),
    // Too many holds need a test of their own.
    ...ends.filter((by) => by !== 'crowded').map((by) => `hold ended by ${by}`),
    ...kept.map((because) => `hold kept because ${because}`),
    'executed 1',
    'executed 2',
    'executed trusting',
    ...effects.map((kind) => `effect ${kind}`),
    ...outcomes.map((outcome) => `decision ${outcome}`),
    ...eventKinds.map((kind) => `decided ${kind}`),
    ...mismatches.map((mismatch) => `mismatch ${mismatch}`),
    ...modes.map((mode) => `fired ${mode}`),
    ...suppressions.map((reason) => `suppressed by ${reason}`),
    'fired with a score',
    'condition met a missing fact',
    ...states.map((state) => `action ${state}`),
    ...formats.map((format) => `format ${format}`),
    'action 1',
    'action 2',
    'action trusting',
    'action trusting by method',
    'action step-up',
    'action other',
    ...factDefinitions.flatMap(({ path, on, type, values }) => {
      if (type === 'map') return [];
      if (path === 'event.kind') return [...on].map((kind) => `${path} ${kind}`);
      const each = values ?? (type === 'bool' ? ['true', 'false'] : undefined);
      return each === undefined ? [`fact ${path}`] : each.map((value) => `${path} ${value}`);
    }),
  ];
}

/** What histories covered: names of `toCover`, and others. */
export class Coverage {
  readonly met = new Set<string>();

  add({ records: past, effects: of }: History): void {
    for (const record of past) this.#record(record);
    for (const effect of of.flat()) this.#effect(effect);
  }

  /** What no history covered. */
  get missing(): readonly string[] {
    return toCover().filter((name) => !this.met.has(name));
  }

  #record(record: EngineRecord): void {
    const { met } = this;
    met.add(`record ${record.kind}`);
    if (record.kind === 'policy' && record.history !== undefined) met.add('policy with history');
    if (record.kind === 'label')
      met.add(`label ${record.event === undefined ? 'of an unreadable event' : record.label}`);
    if (record.kind === 'report') {
      const { event, report } = record;
      met.add(event === undefined ? 'report of an unreadable event' : `reported ${report.outcome}`);
      if (report.label !== undefined) met.add(`reported as ${report.label}`);
    }
    if (record.kind === 'held') met.add(`capped action ${record.held.change}`);
    if (record.kind === 'hold') met.add(`hold ${record.hold.change}`);
    if (record.kind === 'list') {
      for (const { untilMs } of record.change.put) met.add(`list put${untilMs === undefined ? '' : ' until'}`);
      if (record.change.remove.length > 0) met.add('list remove');
    }
    if (record.kind === 'suppress') {
      const { of, untilMs } = record.suppression;
      met.add(`suppress ${untilMs === undefined ? 'ended' : of.kind}`);
    }
    if (record.kind === 'outcome') {
      const { action, result } = record.outcome;
      met.add(`outcome ${result}`);
      if (result === 'executed') met.add(`executed ${nameOf(action)}`);
    }
  }

  #effect(effect: Effect): void {
    const { met } = this;
    met.add(`effect ${effect.kind}`);
    if (effect.kind === 'action') {
      met.add(`action ${effect.state}`);
      met.add(`action ${nameOf(effect.action)}`);
      met.add(`format ${effect.format}`);
    }
    if (effect.kind === 'holdResolved') met.add(`hold ended by ${effect.by}`);
    if (effect.kind === 'holdKept') met.add(`hold kept because ${effect.because}`);
    if (effect.kind !== 'decision') return;
    met.add(`decision ${effect.outcome}`);
    if (effect.outcome === 'decided') met.add(`decided ${effect.event}`);
    if (effect.session?.mismatch !== undefined) met.add(`mismatch ${effect.session.mismatch}`);
    if (effect.missing.length > 0) met.add('condition met a missing fact');
    for (const rule of effect.fired) this.#fired(rule);
  }

  #fired({ facts, mode, score, suppressed }: FiredRule): void {
    const { met } = this;
    met.add(`fired ${mode}`);
    if (suppressed !== undefined) met.add(`suppressed by ${suppressed}`);
    if (score !== undefined) met.add('fired with a score');
    for (const [path, value] of Object.entries(facts)) {
      met.add(`fact ${path}`);
      met.add(`${path} ${value}`);
    }
  }
}

function nameOf(action: number): string {
  if (action === 1 || action === 2) return String(action);
  const { stepUps, trusting, trustMethods } = policiesOfFacts[0]!;
  if (trustMethods.has(action)) return 'trusting by method';
  if (trusting.has(action)) return 'trusting';
  return stepUps.has(action) ? 'step-up' : 'other';
}
