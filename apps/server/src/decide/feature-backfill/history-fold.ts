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
import { ByteSource } from '../../history/byte-source.ts';
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
  /** Records that the live engine put aside. */
  readonly quarantined: ReadonlySet<number>;
}

/** Records of the log that are read at once: some milliseconds of stepping. */
const readMax = 100;
/** Of imported history, events between two looks at the clock. */
const pieceEvents = 50;
/** Entities that a fold may keep, some 500 bytes each. Beyond it the fold ends: shorter windows, or less history. */
const entitiesMax = 2_000_000;
/** Imported events come before all records of the log, in their numbers too. */
const firstOffset = -(2 ** 52);

/**
 * What new features keep of a history: imported segments first, then the log from a record on, stepped by an engine of
 * their own that has these features and no rules. It goes on beside the deciding, a piece at a time, and at the switch
 * up to its record: the same pieces or others give the same state.
 *
 * Events and labels count, and what they need to be matched to sessions; what actions did to sessions does not, and of
 * the log before its first record nothing is known. So an operation may wait here that the engine has decided, and the
 * other way round: what the engine has waiting is not stepped before the switch, where it is left out if it waits still.
 */
export class HistoryFold {
  readonly state: EngineState = newState({ complete: true, offset: firstOffset });
  /** Fingerprints of the features that it is about. */
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
  /** What imported events turned out to be that are not decided yet, by their offsets. */
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
   * Goes on to a record, which is not folded any more.
   *
   * @param mayGoOn asked after each piece
   * @returns whether it is there
   * @throws OperatorError when it takes too much memory, or what it begins with is not kept any more
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
   * Goes on to the record of the switch, all the way.
   *
   * @param waiting operations that still wait there; none of them is stepped yet
   */
  async end(toOffset: number, waiting: ReadonlySet<number>): Promise<EngineState> {
    const { fromOffset } = this.#plan.history;
    const isAhead = [...waiting].some((offset) => offset >= fromOffset && offset < this.nextOffset);
    assert(!isAhead, 'a fold steps no operation that waits');
    leaveWaiting(this.state, waiting);
    await this.advance(toOffset);
    return this.state;
  }

  #checkSize(): void {
    if (residentCount(this.state) <= entitiesMax) return;
    throw new OperatorError(
      `The history has more than ${entitiesMax} entities for the new features.`,
      'Begin with less of it, or with shorter windows.',
    );
  }

  async #stepLog(limit: number): Promise<void> {
    const { workspace, quarantined } = this.#plan;
    const records = await this.#deps.log.read(workspace.id, this.#next, limit);
    if (records[0]?.offset !== this.#next) {
      throw new OperatorError(`The log is not kept from record ${this.#next} on.`, 'Begin with a later record.');
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
      const source = new ByteSource(bytes);
      for (let events = 1; !source.isDone; events++) {
        const { record, label } = unpackRecord(source);
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

  /** From the last record on. */
  #setSettings(settings: EngineSettings): void {
    this.#step({ kind: 'settings', offset: this.#place(), logTimeMs: this.state.logTimeMs as EpochMs, settings });
  }

  async #segments(): Promise<readonly Segment[]> {
    const { workspace, history } = this.#plan;
    const known = await listSegments(this.#deps.pool, workspace.id);
    return history.segments.map((id) => {
      const segment = known.find((one) => one.id === id);
      if (segment === undefined) throw new OperatorError(`The history number ${id} was removed.`, 'Import it again.');
      return segment;
    });
  }

  #place(): number {
    this.#offset += 1;
    return this.#offset;
  }

  #step(record: EngineRecord): void {
    const done = step(this.state, record);
    assert(done.kind === 'done', 'a complete state asks for nothing');
    if (this.#labels.size > 0) this.#label(record, done.effects);
  }

  /** A label comes behind the decision of its event, which may have waited for its login; a retry is in no feature. */
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
  policy: () => Promise.reject(new Error('a fold opens no policy of the log')),
};
