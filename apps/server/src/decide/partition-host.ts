/**
 * Decides one partition, starting at its checkpoint.
 *
 *   run:   read position and checkpoint -> restore -> [ catch up | decide ] -> checkpoint -> ...
 *
 *   catch up  steps the records between checkpoint and position again; their effects are already in the database, so
 *             nothing is written, and the chain of decisions must equal the recorded one
 *   decide    reads, opens and steps a batch; its effects and the new position are committed in one transaction, while
 *             the next batch is read, opened and stepped
 *
 * Any failure ends the run, and the next run begins at the checkpoint: there is one way to recover, and every start
 * uses it. A record on which the engine throws three times is quarantined.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { assert, NewerFormError } from '@ringfence/contract';
import type { LogEntry, LogRecord, StoredBlock } from '@ringfence/log';
import type { ClientBase } from 'pg';
import { behindFence, type Fence } from '../platform/database/transactions.ts';
import { isDatabaseUnable, isDatabaseUnavailable } from '../platform/observability/database-unavailable.ts';
import { checkpointFromBase } from './base-rows.ts';
import type { SteppedBatch } from './batch.ts';
import { BatchSerializer } from './batch-serializer.ts';
import { EventLoopYield } from './event-loop-yield.ts';
import { Checkpoints } from './checkpoints.ts';
import { emptyDigest } from './digest.ts';
import { type Batch, type BatchFence, FencedError, type Position, writeBatch } from './batch-writer.ts';
import { PostgresEntityStates } from './entity-states/postgres-entity-states.ts';
import type { PartitionDeps } from './host-deps.ts';
import { FailoverWatch } from './failover.ts';
import { HandedRecords } from './handed-records.ts';
import { answerQuestions } from './live-status.ts';
import { OrderedWrites } from './ordered-writes.ts';
import type { Ownership } from './ownership.ts';
import {
  earlierLivesEnded,
  type Found,
  holdOwnership,
  noteFailure,
  noteIrreproducible,
  readFound,
  unknownReason,
  forgetPause,
  notePause,
} from './partition-records.ts';
import { sleep } from '../platform/sleep.ts';
import type { Folding } from './feature-backfill/folded-record.ts';
import { BackfillRunner } from './feature-backfill/backfill-runner.ts';
import type { LiveAnswer, LiveQuestion } from '../records/live-status.ts';
import { RecordOpener } from '../records/record-opener.ts';
import { PolicyVersionError } from '../policies/stored-policy.ts';
import { StepFailure } from '../records/step-failure.ts';
import { Stepper } from './stepper.ts';
import { WakeSignal } from '../platform/wake-signal.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';

/** A record that only states that time has passed. */
const tick: LogEntry = { kind: 'tick', payload: Buffer.from('{}') };

/** Records read, stepped and committed together. */
const batchRecordsMax = 500;
/** Batches that are stepped and not written: the one that is being written, and the next one. */
const unwrittenMax = 2;
/** Pause after a run that ended in an error, so that an unavailable database is not hammered. */
const afterErrorMs = 500;
/** After this many consecutive failures the workspace is reported as failing. */
const failuresTold = 3;
/** How often an idle host checks whether a timer is due: the log's clock may be adjusted while it waits. */
const timersLookMs = 1_000;
/** How often a workspace whose policy is refused checks whether another version was activated. */
const pausedLookMs = 1_000;

interface NextRecords {
  readonly records: readonly LogRecord[];
  /** The epoch of the last one if they were handed over; `undefined` if they were read. */
  readonly handedInEpoch: number | undefined;
}

export class PartitionHost {
  readonly #workspace: Workspace;
  readonly #ownership: Ownership;
  readonly #deps: PartitionDeps;
  readonly #fence: Fence;
  readonly #opener: RecordOpener;
  readonly #rows: BatchSerializer;
  readonly #lives: FailoverWatch;
  readonly #wake = new WakeSignal();
  readonly #handed = new HandedRecords();
  /** The offset behind the last record that was read. */
  #readTo = 0;
  /** The offset behind the last record that is known to exist. */
  #grownTo = 0;
  /** Why the workspace is paused; `undefined` when it is not. */
  #paused: string | undefined;
  /** Consecutive runs that ended in an unexpected error. */
  #failures = 0;
  #starter: BackfillRunner | undefined;
  /** While it decides. */
  #deciding: { readonly stepper: Stepper; readonly states: PostgresEntityStates } | undefined;
  /** The settings last received; a changed workspace is another object. */
  #set: Workspace | undefined;

  constructor(workspace: Workspace, ownership: Ownership, deps: PartitionDeps) {
    this.#workspace = workspace;
    this.#ownership = ownership;
    this.#deps = deps;
    this.#fence = (client) => holdOwnership(client, ownership);
    this.#opener = new RecordOpener(deps.subjects, deps.policies);
    this.#rows = new BatchSerializer(workspace, deps.subjects, deps.pool);
    this.#lives = new FailoverWatch(deps, workspace.id);
  }

  /** Applies settings that are not in the log, such as the time within which an action may be sent. */
  use(workspace: Workspace): void {
    this.#rows.use(workspace);
    if (workspace === this.#set) return;
    this.#set = workspace;
    this.#starter?.lookSoon();
    this.#wake.up();
  }

  /** The log grew to `end`: read now, unless everything up to there was already read. */
  wake(end: number, block?: StoredBlock): void {
    if (end <= this.#readTo) return;
    this.#grownTo = Math.max(this.#grownTo, end);
    if (block !== undefined && this.#deciding !== undefined) this.#handed.add(block);
    this.#wake.up();
  }

  /** Answers from the engine's state; `undefined` while this host does not decide. */
  async liveStatus(questions: readonly LiveQuestion[]): Promise<readonly LiveAnswer[] | undefined> {
    if (this.#deciding === undefined) return undefined;
    const { pool, now } = this.#deps;
    const { stepper, states } = this.#deciding;
    const source = { state: stepper.state, states, pool, workspace: this.#workspace, nowMs: now() };
    return answerQuestions(source, questions);
  }

  /**
   * Runs until `stop` (a last checkpoint is written), until another process owns the partition, or until it meets data
   * of a newer release that this one cannot read.
   */
  async run(stop: AbortSignal): Promise<'stopped' | 'fenced' | 'outdated'> {
    stop.addEventListener('abort', () => this.#wake.up(), { once: true });
    while (!stop.aborted) {
      try {
        await this.#live(stop);
      } catch (error) {
        if (error instanceof FencedError) return 'fenced';
        if (error instanceof NewerFormError && (await this.#isOutdated(error))) return 'outdated';
        if (error instanceof PolicyVersionError) await this.#pause(error, stop);
        else await this.#afterError(error);
      }
    }
    return 'stopped';
  }

  async #live(stop: AbortSignal): Promise<void> {
    const begun = await this.#deps.beginnings.take();
    try {
      if (!stop.aborted) await this.#liveOn(stop, begun);
    } finally {
      begun();
    }
  }

  /** @param begun called when it begins to decide */
  async #liveOn(stop: AbortSignal, begun: () => void): Promise<void> {
    await earlierLivesEnded(this.#deps.pool, this.#ownership);
    const states = new PostgresEntityStates(this.#workspace, 'checkpoint', this.#deps.subjects);
    const found = await this.#find(states);
    await this.#fenced((client) => states.removeUnfinished(client));
    const starter = new BackfillRunner({ ...this.#deps, fence: this.#fence }, this.#workspace, found.quarantined);
    this.#starter = starter;
    const fold: Folding = (record, of) => starter.fold(record, of);
    const stepper = await Stepper.restore(
      {
        deps: this.#deps,
        states,
        workspaceId: this.#workspace.id,
        fold,
        residentBytesMax: this.#deps.residentBytesMax,
      },
      found,
    );
    const checkpoints = new Checkpoints(this.#deps, { ownership: this.#ownership, states }, stepper);
    const writes = new OrderedWrites(unwrittenMax, () => this.#wake.up());
    let at: Position = found.checkpoint ?? startOfLog;
    try {
      at = await this.#catchUp(stepper, at, found.position);
      checkpoints.afterCatchUp(at);
      await this.#nameEngine(stepper);
      await this.#resumed();
      begun();
      this.#deciding = { stepper, states };
      if (this.#failures < failuresTold) this.#deps.report.ready(this.#workspace.id, 'here');
      while (!stop.aborted) {
        await writes.room();
        this.#wake.reset();
        const next = await this.#read(at.nextOffset);
        const { records } = next;
        if (records.length > 0) at = await this.#decide({ stepper, writes }, at, next);
        await this.#nameEngine(stepper);
        const isFolding = await starter.turn(stepper.state, at.nextOffset);
        if (writes.isEmpty) this.#wentWell();
        const isAtEnd = this.#grownTo <= this.#readTo;
        if (isAtEnd && !isFolding) await this.#idle(stepper, checkpoints.dueInMs(at), records.length);
        // No checkpoint is ahead of what is written.
        if (checkpoints.dueInMs(at) === 0) await writes.drained();
        checkpoints.offer(at);
      }
      await writes.drained();
      await checkpoints.last(at);
    } finally {
      this.#deciding = undefined;
      this.#handed.clear();
      await writes.settled();
      await checkpoints.settled();
    }
  }

  /** Without a checkpoint, stepping begins at the base of the log. */
  async #find(states: PostgresEntityStates): Promise<Found> {
    const { pool, subjects } = this.#deps;
    const found = await readFound(pool, this.#workspace.id);
    if (found.checkpoint !== undefined) return found;
    const base = new PostgresEntityStates(this.#workspace, 'base', subjects);
    if (!(await checkpointFromBase(pool, base, { ownership: this.#ownership, states }))) return found;
    return readFound(pool, this.#workspace.id);
  }

  /** Steps again what was decided before the last run ended, and compares the outcome with the record. */
  async #catchUp(stepper: Stepper, from: Position, to: Position): Promise<Position> {
    let at = from;
    while (at.nextOffset < to.nextOffset) {
      const limit = Math.min(batchRecordsMax, to.nextOffset - at.nextOffset);
      const records = await this.#deps.log.read(this.#workspace.id, at.nextOffset, limit);
      if (records.length === 0) break;
      at = (await this.#step(stepper, at, records)).position;
    }
    if (Buffer.compare(Buffer.from(at.digest), Buffer.from(to.digest)) === 0) return to;
    const range = {
      from: from.nextOffset,
      to: to.nextOffset,
      reason: (await stepper.reasonOfDifference()) ?? unknownReason,
    };
    this.#deps.logger.warn(
      { workspace: this.#workspace.id, ...range },
      'replayed decisions differ from the recorded ones',
    );
    await this.#fenced((client) => noteIrreproducible(client, this.#workspace.id, range));
    return to;
  }

  /** The records that are decided next. */
  async #read(offset: number): Promise<NextRecords> {
    const handed = this.#handed.take(offset, batchRecordsMax);
    const records = handed.length > 0 ? handed : await this.#deps.log.read(this.#workspace.id, offset, batchRecordsMax);
    this.#readTo = offset + records.length;
    // A read that finds less has found the end, whatever was announced.
    if (handed.length === 0 && records.length < batchRecordsMax) this.#grownTo = this.#readTo;
    return { records, handedInEpoch: handed.at(-1)?.epoch };
  }

  /** Steps a batch, and has it written after the earlier ones. */
  async #decide(
    { stepper, writes }: { readonly stepper: Stepper; readonly writes: OrderedWrites },
    from: Position,
    { records, handedInEpoch }: NextRecords,
  ): Promise<Position> {
    await this.#lives.look(records);
    const { batch, position } = await this.#step(stepper, from, records);
    const nowMs = this.#deps.now();
    const rows = await this.#rows.of(batch, { position, nowMs, earlierWritten: () => writes.drained() });
    const fence = { ...this.#ownership, fromOffset: from.nextOffset, handedInEpoch };
    const decided = {
      records: records.length,
      nextOffset: position.nextOffset,
      decisions: position.decided - from.decided,
      residentBytes: stepper.residentBytes,
    };
    writes.add(async () => {
      await this.#write(fence, rows);
      this.#deps.report.batch(this.#workspace.id, decided);
      this.#rows.written(rows);
      if (rows.actions.some((action) => action.state === 'due')) this.#deps.report.actionsDue();
      this.#wentWell();
    });
    return position;
  }

  async #write(fence: BatchFence, rows: Batch): Promise<void> {
    const client = await this.#deps.pool.connect();
    let failed: Error | undefined;
    try {
      await writeBatch(client, fence, rows);
    } catch (error) {
      failed = error as Error;
      throw error;
    } finally {
      client.release(failed);
    }
  }

  async #step(
    stepper: Stepper,
    from: Position,
    records: readonly LogRecord[],
  ): Promise<{ readonly batch: SteppedBatch; readonly position: Position }> {
    assert(records[0]?.offset === from.nextOffset, 'the log contains the next record of the engine');
    const opened = await this.#opener.openAll(this.#workspace, records, stepper.quarantined);
    await stepper.prefetch(opened);
    const batch = stepper.newBatch(from);
    for (const record of records) if (stepper.quarantined.has(record.offset)) batch.putAside(record);
    const breath = new EventLoopYield();
    for (let place = 0; place < opened.length;) {
      if (breath.isDue()) await breath.take();
      place = await stepper.stepSome(opened, place, batch);
    }
    return { batch, position: batch.positionAt(records.at(-1)!.offset + 1) };
  }

  /**
   * At the end of the log: waits for it to grow. Appends a tick for a due timer only when the last read found nothing;
   * otherwise the log is read again first.
   */
  async #idle(stepper: Stepper, checkpointDueMs: number, found: number): Promise<void> {
    const { idleMs, now } = this.#deps;
    const untilMs = performance.now() + Math.min(idleMs(), checkpointDueMs);
    let [leftMs, dueMs] = [untilMs - performance.now(), stepper.dueInMs(now())];
    while (!this.#wake.isUp && leftMs > 0 && dueMs > 0) {
      await this.#wake.wait(Math.min(timersLookMs, leftMs, dueMs));
      [leftMs, dueMs] = [untilMs - performance.now(), stepper.dueInMs(now())];
    }
    if (found === 0 && !this.#wake.isUp && dueMs <= 0) {
      await this.#deps.log.append(this.#workspace.id, tick);
    }
  }

  /** Writes while this process owns the partition. @throws FencedError when another process owns it */
  #fenced<Result>(work: (client: ClientBase) => Promise<Result>): Promise<Result> {
    return behindFence(this.#deps.pool, this.#fence, work);
  }

  /**
   * The engine's version is a record, appended once everything that an earlier version decided is covered by a
   * checkpoint. It is appended again after a record of another version: a process of another release may still append
   * its own after it lost the partition.
   */
  async #nameEngine(stepper: Stepper): Promise<void> {
    const payload = stepper.newVersionPayload();
    if (payload !== undefined) await this.#deps.log.append(this.#workspace.id, { kind: 'engine', payload });
  }

  /**
   * Events wait in the log until a version that passes the checks is activated; other workspaces are decided meanwhile.
   */
  async #pause(error: PolicyVersionError, stop: AbortSignal): Promise<void> {
    const { logger, report } = this.#deps;
    report.found('hosts');
    if (this.#paused !== error.message) {
      logger.error({ workspace: this.#workspace.id, version: error.version, error: error.message }, pausedMessage);
      const noted = this.#fenced((client) => notePause(client, this.#workspace.id, error));
      await noted.catch((cause: unknown) => this.#afterError(cause));
      this.#paused = error.message;
    }
    report.ready(this.#workspace.id, 'paused');
    await sleep(pausedLookMs, stop);
  }

  /** When the database does not answer, the run is retried. */
  #isOutdated(error: NewerFormError): Promise<boolean> {
    return this.#deps.isOutdated(error).catch(() => false);
  }

  async #resumed(): Promise<void> {
    await this.#fenced((client) => forgetPause(client, this.#workspace.id));
    this.#paused = undefined;
  }

  async #afterError(error: unknown): Promise<void> {
    const { logger, report } = this.#deps;
    if (error instanceof StepFailure) {
      const noted = this.#fenced((client) => noteFailure(client, this.#workspace.id, error));
      const quarantined = await noted.catch(() => false);
      logger.error(
        { workspace: this.#workspace.id, offset: error.offset, quarantined, error: String(error.cause) },
        quarantined ? 'a record was quarantined: the engine failed on it three times' : 'the engine failed on a record',
      );
      return;
    }
    logger.error({ workspace: this.#workspace.id, err: error }, 'the engine host restarts from its checkpoint');
    if (isDatabaseUnavailable(error)) report.missed('hosts', error);
    // A database that cannot store is reported by the health of the log: it is no failure of the engine.
    else if (!isDatabaseUnable(error)) this.#failures += 1;
    if (this.#failures >= failuresTold) report.ready(this.#workspace.id, 'failing');
    await delay(afterErrorMs);
  }

  #wentWell(): void {
    const { report } = this.#deps;
    report.found('hosts');
    if (this.#failures >= failuresTold) report.ready(this.#workspace.id, 'here');
    this.#failures = 0;
  }
}

const startOfLog: Position = { nextOffset: 0, decided: 0, digest: emptyDigest };
const pausedMessage =
  'the workspace is paused: this release refuses its policy; activate a version that passes the checks';
