import { assert, clientOf, dayMs, type EpochMs, type Event, formatDecimal } from '@ringfence/contract';
import {
  type Action,
  type Decision,
  type Effect,
  type EngineRecord,
  type EngineState,
  type EventRecord,
  type Label,
  newState,
  readsLabels,
  step,
  stepTogether,
  togetherMax,
} from '@ringfence/engine';
import { type FactValue, ModelRun, type Policy } from '@ringfence/policy';
import { encodeLink, isConclusion, type Link, linksOf } from '../../decide/batch.ts';
import { HistoryReader, HistoryWriter } from '../../history/history-bytes.ts';
import { type UnpackedRecord, unpackRecord } from '../../history/record-codec.ts';
import { type EventTraits, newClientDays, packTrainingEvent } from '../training/training-event.ts';
import { packScored, type ScoreChoice } from './scored-event.ts';
import type { FiredOnEvent, WorkerReport, WorkerStart, WorkerTotals } from './worker-report.ts';

/*
 * The policy comes before the first record, and before it the settings if the source contains none. Offsets of records
 * are whole numbers, and the engine only requires that they increase.
 */
const settingsBefore = 0.75;
const policyBefore = 0.5;
/** The contents of lists follow the policy, all within this fraction of an offset. */
const listsBefore = 0.25;

/** What must be remembered of an event until it is decided. */
interface Seen {
  readonly record: EventRecord;
  readonly atMs: EpochMs;
  readonly event: Event;
  readonly label: Label | undefined;
  readonly isCounted: boolean;
}

export interface BacktestWorkerOptions {
  readonly policy: Policy;
  /** The version in its decisions. */
  readonly version: number;
  /** Only events from `fromMs` to before `toMs` are counted. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether reports contain every decision's bytes, for the chain. */
  readonly isChained: boolean;
  /** The score with which reports contain every counted event; absent: they do not. */
  readonly scores?: ScoreChoice | undefined;
  /** The model whose inputs are reported for every counted event that it would be evaluated for; absent: none. */
  readonly trains?: string | undefined;
  /** Called with each event on which a rule fired, and its record. */
  readonly onFired?: (event: FiredOnEvent, record: EventRecord) => void;
}

/**
 * A backtest worker: one policy over a stream of records, with the live engine's own `step` and its whole state in
 * memory. Reports only what a tally needs, and nothing about the many events on which nothing happened.
 */
export class BacktestWorker {
  readonly #options: BacktestWorkerOptions;
  readonly #state: EngineState;
  /** The model that is trained. */
  readonly #model: ModelRun | undefined;
  /** What it reads of the events of the current batch, by offset. */
  readonly #inputs = new Map<number, Pick<EventTraits, 'isNewClient'> & { readonly values: Float64Array }>();
  /** Where the time since the client's first event is. */
  readonly #ageSlot: number | undefined;
  /** Where the score is, if it is a result of a model. */
  readonly #scoreSlot: number | undefined;
  /** The numbers of clients in a training. */
  readonly #clients = new Map<string, number>();
  /** The scores of the events of the current batch, by offset. */
  readonly #results = new Map<number, number>();
  /** Operations that wait for their login, by offset. */
  readonly #waiting = new Map<number, Seen>();
  readonly #chain = new HistoryWriter();
  readonly #scores = new HistoryWriter();
  readonly #training = new HistoryWriter();
  /** Of the current batch, if the chain is requested. */
  #links: Link[] = [];
  readonly #missing = new Map<number, number>();
  #totals: { -readonly [Total in keyof WorkerTotals]: WorkerTotals[Total] } = { ...nothingYet };
  #fired: FiredOnEvent[] = [];
  #atMs = 0 as EpochMs;
  #labelsAtOnce = false;
  /** Whether the policy has features over labels. */
  #readsLabels = false;
  /** Whether an event had a device: labels of such events affect the device. */
  #hasDevices = false;
  /** Events decided by the current record, with their labels. */
  readonly #labelled: { readonly event: EventRecord; readonly label: Label }[] = [];

  constructor(options: BacktestWorkerOptions) {
    this.#options = options;
    const model = options.policy.models.find(({ name }) => name === options.trains);
    this.#model = model && new ModelRun(model);
    this.#ageSlot = options.policy.slots.of('client.firstSeen');
    this.#scoreSlot = options.scores === undefined ? undefined : options.policy.slots.of(options.scores);
    const isRead = this.#model !== undefined || this.#scoreSlot !== undefined;
    const onDecided = (state: EngineState, decision: Decision): void => this.#readFacts(state, decision);
    this.#state = newState({ complete: true, onDecided: isRead ? onDecided : undefined });
  }

  /** Must happen at the decision: the next event overwrites its facts. */
  #readFacts({ decidedFacts }: EngineState, { event, offset }: Decision): void {
    const model = this.#model;
    const values = model?.model.on.has(event) === true ? model.inputs(decidedFacts) : undefined;
    if (values !== undefined) {
      const age = this.#ageSlot === undefined ? undefined : decidedFacts[this.#ageSlot];
      const isNewClient = age === undefined || Number(age) < newClientDays * dayMs;
      this.#inputs.set(offset, { values: values.slice(), isNewClient });
    }
    const score = this.#scoreSlot === undefined ? undefined : decidedFacts[this.#scoreSlot];
    if (score !== undefined) this.#results.set(offset, numberOf(score));
  }

  /** Activates the policy, before the first record. */
  begin({ offset, logTimeMs, settings, lists = [], labelsAtOnce }: WorkerStart): void {
    this.#labelsAtOnce = labelsAtOnce;
    if (settings !== undefined)
      this.#control({ kind: 'settings', offset: offset - settingsBefore, logTimeMs, settings });
    const { policy, version } = this.#options;
    this.#control({ kind: 'policy', offset: offset - policyBefore, logTimeMs, version, policy });
    this.#readsLabels = readsLabels(this.#state);
    lists.forEach((change, at) => {
      const place = offset - listsBefore + (listsBefore * at) / lists.length;
      this.#control({ kind: 'list', offset: place, logTimeMs, change });
    });
  }

  #control(record: EngineRecord): void {
    assert(step(this.#state, record).kind === 'done', 'a complete state requests nothing');
  }

  /**
   * Steps a batch of packed records. Unpacks all, then steps all, then encodes all decisions: the code of all three
   * does not fit into the processor's cache together.
   */
  take(bytes: Uint8Array): WorkerReport {
    const unpacked = unpackAll(bytes);
    this.#hasDevices ||= unpacked.some(
      ({ record }) => record.kind === 'event' && 'device.state' in record.enrichment.facts,
    );
    const atOnce = this.#areLabelsHeeded ? 1 : togetherMax;
    for (let place = 0; place < unpacked.length;) place += this.#step(unpacked.slice(place, place + atOnce));
    return this.#report();
  }

  /** Steps at least the first of them. @returns how many */
  #step(unpacked: readonly UnpackedRecord[]): number {
    const records = unpacked.map(({ record }) => record);
    const { effects, keys } = stepTogether(this.#state, records);
    assert(keys.length === 0, 'a complete state requests nothing');
    for (const [place, { record, label }] of unpacked.slice(0, effects.length).entries()) {
      this.#atMs = record.logTimeMs;
      const seen = record.kind === 'event' ? this.#see(record, label) : undefined;
      this.#note(record, seen, effects[place]!);
      if (this.#labelled.length > 0) this.#label(record);
    }
    return effects.length;
  }

  /** Whether labels affect later decisions. */
  get #areLabelsHeeded(): boolean {
    return this.#labelsAtOnce && (this.#hasDevices || this.#readsLabels);
  }

  /** Passes the labels of the events that were just decided to the engine, before the next record. */
  #label({ offset, logTimeMs }: EngineRecord): void {
    const labelled = this.#labelled.splice(0);
    labelled.forEach(({ event, label }, at) => {
      this.#control({ kind: 'label', offset: offset + (at + 1) / (labelled.length + 1), logTimeMs, label, event });
    });
  }

  /** How often the condition of each rule met a missing fact, by reason. */
  missing(): ReadonlyMap<number, number> {
    return this.#missing;
  }

  #see(record: EventRecord, label: Label | undefined): Seen {
    const { logTimeMs: atMs, event } = record;
    const { fromMs, toMs } = this.#options;
    return { record, atMs, event, label, isCounted: atMs >= fromMs && atMs < toMs };
  }

  #note(record: EngineRecord, seen: Seen | undefined, effects: readonly Effect[]): void {
    const [only] = effects;
    // Nearly every record: one event, decided immediately, without consequences.
    if (effects.length === 1 && only?.kind === 'decision' && only.offset === record.offset) {
      this.#conclude(only, noActions, seen);
      return;
    }
    for (const link of linksOf(effects)) {
      if (!isConclusion(link)) {
        if (this.#options.isChained) this.#links.push(link);
        continue;
      }
      const { decision, actions } = link;
      const earlier = this.#waiting.get(decision.offset);
      if (earlier !== undefined) this.#waiting.delete(decision.offset);
      this.#conclude(decision, actions, earlier ?? seen);
    }
    const waits = effects.some((effect) => effect.kind === 'waiting');
    if (waits) this.#waiting.set(record.offset, seen!);
  }

  /** @param seen `undefined` for an event that can't be read */
  #conclude(decision: Decision, actions: readonly Action[], seen: Seen | undefined): void {
    if (this.#options.isChained) this.#links.push({ decision, actions });
    const totals = this.#totals;
    if (seen === undefined || decision.outcome === 'unreadable') {
      totals.unreadable += 1;
      return;
    }
    if (this.#areLabelsHeeded && seen.label !== undefined && decision.outcome === 'decided') {
      this.#labelled.push({ event: seen.record, label: seen.label });
    }
    if (!seen.isCounted) return;
    if (decision.outcome === 'repeat') {
      totals.repeats += 1;
      return;
    }
    totals.decided += 1;
    if (this.#options.scores !== undefined) {
      const score = this.#scoreSlot === undefined ? decision.score : (this.#results.get(decision.offset) ?? Number.NaN);
      packScored(this.#scores, decision, { label: seen.label, score });
    }
    const inputs = this.#inputs.get(decision.offset);
    if (inputs !== undefined) {
      const traits = { ...orderTraits(seen.event), client: this.#clientNumber(decision.subject) };
      packTrainingEvent(this.#training, decision, { label: seen.label, ...inputs, ...traits });
    }
    if (seen.label !== undefined) totals[seen.label] += 1;
    for (const reason of decision.missing) this.#missing.set(reason, (this.#missing.get(reason) ?? 0) + 1);
    if (decision.fired.length === 0 && seen.label !== 'fraud') return;
    const fired = firedOn(decision, actions, seen);
    this.#fired.push(fired);
    this.#options.onFired?.(fired, seen.record);
  }

  /** From 1 on, in the order of their first events; 0 without a client. */
  #clientNumber(subject: string | undefined): number {
    if (subject === undefined) return 0;
    const number = this.#clients.get(subject) ?? this.#clients.size + 1;
    this.#clients.set(subject, number);
    return number;
  }

  #report(): WorkerReport {
    for (const link of this.#links) {
      const encoded = encodeLink(link);
      this.#chain.uint(encoded.length);
      this.#chain.bytes(encoded);
    }
    this.#links = [];
    const report = {
      fired: this.#fired,
      totals: this.#totals,
      chain: this.#chain.take(),
      scores: this.#scores.take(),
      training: this.#training.take(),
      waiting: [...this.#waiting.keys()],
      atMs: this.#atMs,
    };
    this.#fired = [];
    this.#inputs.clear();
    this.#results.clear();
    this.#totals = { ...nothingYet };
    return report;
  }
}

/** A model's score is a decimal. */
function numberOf(value: FactValue): number {
  return typeof value === 'bigint' ? Number(formatDecimal(value)) : (value as number);
}

function orderTraits(event: Event): Omit<EventTraits, 'isNewClient'> {
  const { channelId } = event;
  const order = event.kind === 'operation' ? event.order : undefined;
  if (order?.amount === undefined) return { channelId, amount: Number.NaN, currency: '' };
  return { channelId, amount: Number(order.amount), currency: order.currency ?? '' };
}

function unpackAll(bytes: Uint8Array): readonly UnpackedRecord[] {
  const reader = new HistoryReader(bytes);
  const records: UnpackedRecord[] = [];
  while (!reader.done) records.push(unpackRecord(reader));
  return records;
}

const nothingYet: WorkerTotals = { decided: 0, repeats: 0, unreadable: 0, fraud: 0, legitimate: 0 };
const noActions: readonly Action[] = [];

function firedOn(decision: Decision, actions: readonly Action[], { atMs, event, label }: Seen): FiredOnEvent {
  const order = event.kind === 'operation' ? event.order : undefined;
  return {
    offset: decision.offset,
    atMs,
    event: decision.event,
    subject: decision.subject,
    client: clientOf(event),
    label,
    amount: order?.amount,
    currency: order?.currency,
    rules: decision.fired,
    actions: actions.map(({ reason, action, state }) => ({ reason, action, isCapped: state === 'held' })),
  };
}
