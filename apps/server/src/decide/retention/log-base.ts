/**
 * Before old records are removed, the base moves over them: they are stepped once more from the state stored at the
 * base, and the resulting state replaces it. So the kept log can always be stepped again. It is also a last check of
 * the records that go: between two marks, the chain of decisions must equal the recorded one.
 *
 *   removed | base --- mark ---- mark --- ... --- checkpoint --- position --- end
 *             '--> stepped again --'
 */
import { assert } from '@ringfence/contract';
import type { EventLog } from '@ringfence/log';
import type { ClientBase, Pool } from 'pg';
import { behindFence } from '../../platform/database/transactions.ts';
import { emptyDigest } from '../digest.ts';
import type { Position } from '../batch-writer.ts';
import { noteChanges } from '../chain/noticed-changes.ts';
import { PostgresEntityStates } from '../entity-states/postgres-entity-states.ts';
import type { LineLogger } from '../../platform/observability/thread-logger.ts';
import { noteFailure, noteIrreproducible, readQuarantined, unknownReason } from '../partition-records.ts';
import { RecordOpener } from '../../records/record-opener.ts';
import type { PolicySource } from '../../policies/policy-cache.ts';
import { StepFailure } from '../../records/step-failure.ts';
import { Stepper } from '../stepper.ts';
import { foldAtOnce } from '../feature-backfill/folded-record.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { erasedSince, holdBase, readBase, writeBase } from '../base-rows.ts';
import { marksBetween, stretchStart } from './marks.ts';

/** Records stepped together: some 5 ms, so that the engine on the same thread hardly waits. */
const batchRecordsMax = 100;
/** Records after which the base is stored on the way: an interruption loses a second of work. */
const saveRecords = 10_000;
/** Memory bound for entities: decisions do not wait for this, and the database supplies the rest. */
const residentBytesMax = 64 * 2 ** 20;

export interface LogBaseDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
  readonly policies: PolicySource;
  readonly logger: LineLogger;
}

interface Opened {
  readonly stepper: Stepper;
  readonly states: PostgresEntityStates;
  readonly at: Position;
  readonly erasureId: number;
}

export class LogBase {
  readonly #deps: LogBaseDeps;
  readonly #workspace: Workspace;
  readonly #opener: RecordOpener;
  readonly #stepper: Stepper;
  readonly #states: PostgresEntityStates;
  readonly #erasureId: number;
  #at: Position;
  #savedOffset: number;

  private constructor(deps: LogBaseDeps, workspace: Workspace, { stepper, states, at, erasureId }: Opened) {
    this.#deps = deps;
    this.#workspace = workspace;
    this.#opener = new RecordOpener(deps.subjects, deps.policies);
    this.#stepper = stepper;
    this.#states = states;
    this.#erasureId = erasureId;
    this.#at = at;
    this.#savedOffset = at.nextOffset;
  }

  /** The stored base, without data of clients that were erased since. */
  static async open(deps: LogBaseDeps, workspace: Workspace): Promise<LogBase> {
    const { pool } = deps;
    const base = await readBase(pool, workspace.id);
    const erased = await erasedSince(pool, workspace.id, base?.erasureId ?? 0);
    const states = new PostgresEntityStates(workspace, 'base', deps.subjects);
    const quarantined = await readQuarantined(pool, workspace.id);
    const stepper = await Stepper.restore(
      {
        deps,
        states,
        workspaceId: workspace.id,
        residentBytesMax,
        fold: foldAtOnce(deps, workspace, quarantined),
        onStepped: () => {},
      },
      { checkpoint: base, quarantined },
    );
    const opened = { stepper, states, at: base ?? startOfLog, erasureId: erased.lastId };
    const made = new LogBase(deps, workspace, opened);
    await made.#fenced((client) => states.removeUnfinished(client));
    await made.#noteChanged();
    if (base !== undefined && erased.subjects.length > 0) {
      stepper.forgetErased(erased.subjects);
      await made.#save();
    }
    return made;
  }

  /** Notes a base that is not as it was written: the next one is made of it. */
  async #noteChanged(): Promise<void> {
    const { pool, logger } = this.#deps;
    const offset = this.#at.nextOffset;
    const sealed = await this.#states.readSeal(pool);
    if (sealed === undefined || (sealed.isWhole && sealed.nextOffset === offset)) return;
    const whats = ['the state of the base'];
    await this.#fenced((client) => noteChanges(client, this.#workspace.id, { offset, whats }));
    logger.error(
      { workspace: this.#workspace.id, offset, changed: whats },
      'the database was changed outside of the service',
    );
  }

  /** The first record that is certainly kept. */
  get nextOffset(): number {
    return this.#at.nextOffset;
  }

  /**
   * Moves to a mark: all the way, or over at least `recordsMax` records, or until `stop`.
   *
   * @returns whether it has reached the mark
   * @throws StepFailure when the engine fails on a record; the third failure quarantines the record
   */
  async moveTo(to: Position, recordsMax: number, stop: AbortSignal): Promise<boolean> {
    const { pool } = this.#deps;
    const untilOffset = this.#at.nextOffset + recordsMax;
    let stretchFrom = await stretchStart(pool, this.#workspace.id, this.#at.nextOffset);
    const marks = await marksBetween(pool, this.#workspace.id, { after: this.#at.nextOffset, to: to.nextOffset });
    for (const mark of marks) {
      while (this.#at.nextOffset < mark.nextOffset) {
        if (stop.aborted || this.#at.nextOffset >= untilOffset) {
          await this.#save();
          return false;
        }
        await this.#stepTowards(mark.nextOffset);
        if (this.#at.nextOffset - this.#savedOffset >= saveRecords) await this.#save();
      }
      await this.#hold(mark, stretchFrom);
      stretchFrom = mark.nextOffset;
    }
    await this.#save();
    return this.#at.nextOffset >= to.nextOffset;
  }

  async #stepTowards(offset: number): Promise<void> {
    const { log } = this.#deps;
    const from = this.#at;
    const limit = Math.min(batchRecordsMax, offset - from.nextOffset);
    const records = await log.read(this.#workspace.id, from.nextOffset, limit);
    assert(records[0]?.offset === from.nextOffset, 'the log contains every record from its base on');
    const batch = this.#stepper.newBatch(from);
    try {
      const opened = await this.#opener.openAll(this.#workspace, records, this.#stepper.quarantined);
      await this.#stepper.prefetch(opened);
      for (let place = 0; place < opened.length;)
        place = await this.#stepper.stepSome(opened, { from: place, isAlone: false }, batch);
    } catch (error) {
      if (error instanceof StepFailure) await this.#fenced((client) => noteFailure(client, this.#workspace.id, error));
      throw error;
    }
    this.#at = batch.positionAt(records.at(-1)!.offset + 1);
  }

  /** Compares a stretch with its mark. The chain continues from the recorded mark, so each stretch is checked alone. */
  async #hold(mark: Position, from: number): Promise<void> {
    const { logger } = this.#deps;
    const isSame = this.#at.decided === mark.decided && Buffer.from(mark.digest).equals(this.#at.digest);
    this.#at = mark;
    if (isSame) return;
    const reason = (await this.#stepper.reasonOfDifference()) ?? (await this.#reasonFromBefore(from));
    const range = { from, to: mark.nextOffset, reason };
    logger.warn({ workspace: this.#workspace.id, ...range }, 'replayed decisions differ from the recorded ones');
    await this.#fenced((client) => noteIrreproducible(client, this.#workspace.id, range));
  }

  /** A range that could not be reproduced may affect the state of later ones. */
  async #reasonFromBefore(offset: number): Promise<string> {
    const earlier = await this.#deps.pool.query(
      `select 1 from irreproducible_range where workspace_id = $1 and from_offset < $2 limit 1`,
      [this.#workspace.id, offset],
    );
    return earlier.rowCount === 0 ? unknownReason : 'it may follow from an earlier range';
  }

  /** Writes while the base is at the offset saved last. @throws BaseMovedError when another process moved it */
  #fenced<Result>(work: (client: ClientBase) => Promise<Result>): Promise<Result> {
    const fence = (client: ClientBase): Promise<void> => holdBase(client, this.#workspace.id, this.#savedOffset);
    return behindFence(this.#deps.pool, fence, work);
  }

  async #save(): Promise<void> {
    const capture = this.#stepper.capture(this.#at);
    await writeBase(this.#deps.pool, this.#states, {
      workspaceId: this.#workspace.id,
      capture,
      erasureId: this.#erasureId,
      fromOffset: this.#savedOffset,
    });
    await this.#states.committed();
    this.#stepper.committed(capture.checkpoint);
    this.#savedOffset = this.#at.nextOffset;
    const fence = (client: ClientBase): Promise<void> => holdBase(client, this.#workspace.id, this.#savedOffset);
    while (await this.#states.compact(this.#deps.pool, fence));
  }
}

const startOfLog: Position = { nextOffset: 0, decided: 0, digest: emptyDigest };
