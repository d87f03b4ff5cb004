import { assert, type EpochMs } from '@ringfence/contract';
import {
  type Effect,
  type EngineRecord,
  type EngineSettings,
  type EngineState,
  type EventRecord,
  type HistoryStart,
  type Label,
  leaveWaiting,
  newState,
  residentCount,
  step,
} from '@ringfence/engine';
import type { EventLog } from '@ringfence/log';
import type { Feature, Policy } from '@ringfence/policy';
import type { Pool } from 'pg';
import { unpackRecord } from '../../history/record-codec.ts';
import { HistorySource, historySettings } from '../../history/history-source.ts';
import { HistoryReader } from '../../history/history-bytes.ts';
import { listSegments, type Segment } from '../../history/segments.ts';
import { RecordOpener } from '../../records/record-opener.ts';
import type { PolicySource } from '../../policies/policy-cache.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';

export interface FoldDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
}

export interface FoldPlan {
  readonly workspace: Workspace;
  readonly policy: Policy;
  /** Features that begin with it. */
  readonly features: readonly Feature[];
  readonly history: HistoryStart;
  /** Records that the live engine quarantined. */
  readonly quarantined: ReadonlySet<number>;
}

/** Log records read per step: some milliseconds of stepping. */
const readMax = 100;
/** Imported events between two checks of the clock. */
const pieceEvents = 50;
/** Bound on entities, some 500 bytes each. Beyond it the backfill fails: use shorter windows, or less history. */
const entitiesMax = 2_000_000;
/** Imported events precede all records of the log; their offsets, too. */
const firstOffset = -(2 ** 52);

/**
 * Computes a feature backfill: imported segments first, then the log from a record on, stepped by a separate engine
 * that has only the new features and no rules. It runs a piece at a time while the live engine decides, and at the
 * switch up to the switch's record. The division into pieces does not affect the resulting state.
 *
 * Events and labels are counted, with what is needed to match them to sessions; effects of actions on sessions are not,
 * and nothing is known of the log before its first record. So an operation may wait here that the live engine has
 * decided, and vice versa: operations that wait in the live engine are not stepped before the switch, and are left out
 * there if they still wait.
 */
export class HistoryFold {
  readonly state: EngineState = newState({ complete: true, offset: firstOffset });
  /** Fingerprints of the features that it computes. */
  readonly features: readonly string[];
  readonly #deps: FoldDeps;
  readonly #plan: FoldPlan;
  readonly #opener: RecordOpener;
  readonly #imported: AsyncGenerator<void>;
  #isImported = false;
  #offset = firstOffset;
  #next: number;
  #cutMs = Infinity;
  /** Events and records that were folded. */
  done = 0;
  /** Labels of imported events that are not decided yet, by offset. */
  readonly #labels = new Map<number, { readonly event: EventRecord; readonly label: Label }>();

  constructor(deps: FoldDeps, plan: FoldPlan) {
    this.#deps = deps;
    this.#plan = plan;
    this.features = plan.features.map(({ fingerprint }) => fingerprint);
    this.#opener = new RecordOpener(deps.subjects, noPolicies);
    this.#next = plan.history.fromOffset;
    this.#imported = this.#import();
  }

  /** The next record of the log. */
  get nextOffset(): number {
    return this.#isImported ? this.#next : this.#plan.history.fromOffset;
  }

  /**
   * Advances to a record, exclusive.
   *
   * @param mayGoOn called after each piece
   * @returns whether it has reached the record
   * @throws OperatorError when it needs too much memory, or its history is no longer kept
   */
  async advance(toOffset: number, mayGoOn: () => boolean = () => true): Promise<boolean> {
    while (!this.#isImported) {
      const { done } = await this.#imported.next();
      if (done === true) this.#isImported = true;
      this.#checkSize();
      if (!mayGoOn()) return false;
    }
    while (this.#next < toOffset) {
      await this.#stepLog(Math.min(readMax, toOffset - this.#next));
      this.#checkSize();
      if (!mayGoOn()) break;
    }
    return this.#next >= toOffset;
  }

  /**
   * Advances all the way to the switch's record.
   *
   * @param waiting operations that still wait there; none of them is stepped yet
   */
  async end(toOffset: number, waiting: ReadonlySet<number>): Promise<EngineState> {
    const { fromOffset } = this.#plan.history;
    const isAhead = [...waiting].some((offset) => offset >= fromOffset && offset < this.nextOffset);
    assert(!isAhead, 'a backfill steps no operation that waits');
    leaveWaiting(this.state, waiting);
    await this.advance(toOffset);
    return this.state;
  }

  #checkSize(): void {
    if (residentCount(this.state) <= entitiesMax) return;
    throw new OperatorError(
      `The feature backfill needs more than ${entitiesMax} entities.`,
      'Use less history, or features with shorter windows.',
    );
  }

  async #stepLog(limit: number): Promise<void> {
    const { workspace, quarantined } = this.#plan;
    const records = await this.#deps.log.read(workspace.id, this.#next, limit);
    if (records[0]?.offset !== this.#next) {
      throw new OperatorError(`The log no longer contains record ${this.#next}.`, 'Begin with a later record.');
    }
    const kept = records.filter(({ kind }) => kind !== 'policy' && kind !== 'engine');
    for (const { record } of await this.#opener.openAll(workspace, kept, quarantined)) this.#step(record);
    this.done += records.length;
    this.#next = records.at(-1)!.offset + 1;
  }

  async *#import(): AsyncGenerator<void> {
    const { workspace, policy, features, history } = this.#plan;
    const [first] = await this.#deps.log.read(workspace.id, history.fromOffset, 1);
    this.#cutMs = first?.logTimeMs ?? Infinity;
    const bare: Policy = { ...policy, features, ratios: [], rules: [] };
    const start = { offset: this.#place(), logTimeMs: 0 as EpochMs };
    this.#step({ ...start, kind: 'policy', version: 1, policy: bare });
    for (const segment of await this.#segments()) yield* this.#segment(segment);
    this.#setSettings(history.settings);
  }

  async *#segment(segment: Segment): AsyncGenerator<void> {
    const { workspace, history } = this.#plan;
    this.#setSettings(historySettings(history.settings, segment));
    for await (const { bytes } of new HistorySource(this.#deps, workspace, segment).batches()) {
      const reader = new HistoryReader(bytes);
      for (let events = 1; !reader.done; events++) {
        const { record, label } = unpackRecord(reader);
        this.done += 1;
        if (record.logTimeMs < this.state.logTimeMs || record.logTimeMs >= this.#cutMs) continue;
        const imported = { ...record, offset: this.#place() };
        if (imported.kind === 'event' && label !== undefined) {
          this.#labels.set(imported.offset, { event: imported, label });
        }
        this.#step(imported);
        if (events % pieceEvents === 0) yield;
      }
      yield;
    }
  }

  /** Applies settings at the time of the last record. */
  #setSettings(settings: EngineSettings): void {
    this.#step({ kind: 'settings', offset: this.#place(), logTimeMs: this.state.logTimeMs as EpochMs, settings });
  }

  async #segments(): Promise<readonly Segment[]> {
    const { workspace, history } = this.#plan;
    const known = await listSegments(this.#deps.pool, workspace.id);
    return history.segments.map((id) => {
      const segment = known.find((one) => one.id === id);
      if (segment === undefined) throw new OperatorError(`History number ${id} was removed.`, 'Import it again.');
      return segment;
    });
  }

  #place(): number {
    this.#offset += 1;
    return this.#offset;
  }

  #step(record: EngineRecord): void {
    const done = step(this.state, record);
    assert(done.kind === 'done', 'a complete state requests no entities');
    if (this.#labels.size > 0) this.#label(record, done.effects);
  }

  /** Steps labels after the decisions of their events, which may have waited for a login; repeats get no label. */
  #label({ offset, logTimeMs }: EngineRecord, effects: readonly Effect[]): void {
    const labelled = effects.flatMap((effect) => {
      if (effect.kind !== 'decision') return [];
      const told = this.#labels.get(effect.offset);
      this.#labels.delete(effect.offset);
      return told === undefined || effect.outcome !== 'decided' ? [] : [told];
    });
    labelled.forEach((told, at) => {
      step(this.state, { ...told, kind: 'label', offset: offset + (at + 1) / (labelled.length + 1), logTimeMs });
    });
  }
}

const noPolicies: PolicySource = {
  policy: () => Promise.reject(new Error('a backfill opens no policy records')),
};
