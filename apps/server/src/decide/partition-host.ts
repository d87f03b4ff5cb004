/**
 * Decides one partition, starting at its checkpoint.
 *
 *   run:   read position and checkpoint -> restore -> [ catch up | decide ] -> checkpoint -> ...
 *
 *   catch up  steps the records between checkpoint and position again; their effects are already in the database, so
 *             nothing is written, and the chain of decisions must equal the recorded one
 *   decide    reads, opens and steps records, which form a batch; its effects and the new position are committed in one
 *             transaction, while the records that arrive meanwhile are read, opened and stepped for the next batch
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
import { BackgroundWrite } from './background-write.ts';
import { checkpointFromBase } from './base-rows.ts';
import type { SteppedBatch } from './batch.ts';
import { BatchSerializer } from './batch-serializer.ts';
import { Checkpoints } from './checkpoints.ts';
import { emptyDigest } from './digest.ts';
import { FencedError, type Position, commitBatch } from './batch-writer.ts';
import type { RecordChain } from './chain/record-chain.ts';
import { resumeChain } from './chain/resume-chain.ts';
import { PostgresEntityStates } from './entity-states/postgres-entity-states.ts';
import type { PartitionDeps } from './host-deps.ts';
import { FailoverWatch } from './failover.ts';
import { HandedRecords } from './handed-records.ts';
import { answerQuestions } from './live-status.ts';
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
import { EventRanges } from '../records/event-ranges/event-ranges.ts';
import type { ProcessorShare } from './processor-shares.ts';
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
/** The same beside busy workspaces of more weight, which wait while records are opened and rows are sealed. */
const pressedRecordsMax = 50;
/** Opening or sealing one record takes less; what takes longer is a wait for the database. */
const recordMsMax = 0.1;
/** Pause after a run that ended in an error, so that an unavailable database is not hammered. */
const afterErrorMs = 500;
/** After this many consecutive failures the workspace is reported as failing. */
const failuresTold = 3;
/** How often an idle host checks whether a timer is due: the log's clock may be adjusted while it waits. */
const timersLookMs = 1_000;
/** How often a workspace whose policy is refused checks whether another version was activated. */
const pausedLookMs = 1_000;

/** Records that are stepped together with others of a batch. */
interface NextRecords {
  readonly records: readonly LogRecord[];
  /** They were handed over, not read. */
  readonly areHanded: boolean;
}

/** A batch that is stepped and not written: it grows while the one before it is being written. */
interface Unwritten {
  readonly batch: SteppedBatch;
  readonly from: Position;
  readonly records: number;
  readonly nextOffset: number;
  /** Of the last record. */
  readonly epoch: number;
  /** Whether some of its records were not read from the database. */
  readonly areHanded: boolean;
}

/** What one run of a host works with. */
interface Run {
  readonly stepper: Stepper;
  readonly states: PostgresEntityStates;
  readonly chain: RecordChain;
  readonly write: BackgroundWrite;
  /** The end of the last batch whose write has begun. */
  at: Position;
  unwritten: Unwritten | undefined;
}

export class PartitionHost {
  readonly #workspace: Workspace;
  readonly #ownership: Ownership;
  readonly #deps: PartitionDeps;
  readonly #fence: Fence;
  readonly #opener: RecordOpener;
  readonly #rows: BatchSerializer;
  readonly #lives: FailoverWatch;
  readonly #ranges: EventRanges;
  readonly #wake = new WakeSignal();
  readonly #handed = new HandedRecords();
  readonly #share: ProcessorShare;
  /** The offset behind the last record that was read. */
  #readTo = 0;
  /** The offset behind the last record that is known to exist; infinite if there may be more. */
  #grownTo = 0;
  /** Why the workspace is paused; `undefined` when it is not. */
  #paused: string | undefined;
  /** Consecutive runs that ended in an unexpected error. */
  #failures = 0;
  #starter: BackfillRunner | undefined;
  /** While it decides. */
  #deciding: Run | undefined;
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
    this.#ranges = new EventRanges(workspace.id);
    this.#share = deps.shares.open(deps.weights[workspace.environment]);
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
    try {
      return await this.#liveAgain(stop);
    } finally {
      this.#share.close();
    }
  }

  async #liveAgain(stop: AbortSignal): Promise<'stopped' | 'fenced' | 'outdated'> {
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
    const offset = found.checkpoint?.nextOffset ?? 0;
    const chain = await resumeChain({ ...this.#deps, fence: this.#fence, states }, offset);
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
        onStepped: (ms) => this.#share.charge(ms),
      },
      found,
    );
    const checkpoints = new Checkpoints(this.#deps, { ownership: this.#ownership, states, chain }, stepper);
    const write = new BackgroundWrite((isWell) => {
      if (!isWell || run.unwritten !== undefined) this.#wake.up();
    });
    const run: Run = { stepper, states, chain, write, at: found.checkpoint ?? startOfLog, unwritten: undefined };
    try {
      run.at = await this.#catchUp(run, found.position);
      checkpoints.afterCatchUp(run.at);
      await this.#nameEngine(stepper);
      await this.#resumed();
      begun();
      this.#deciding = run;
      if (this.#failures < failuresTold) this.#deps.report.ready(this.#workspace.id, 'here');
      while (!stop.aborted) {
        this.#wake.reset();
        const found = await this.#stepNext(run);
        if (run.unwritten !== undefined && write.isIdle()) await this.#write(run, run.unwritten);
        await this.#nameEngine(stepper);
        const isFolding = await starter.turn(stepper.state, steppedTo(run));
        if (write.isIdle()) this.#wentWell();
        const isAtEnd = this.#grownTo <= this.#readTo;
        if (isAtEnd && !isFolding) await this.#idle(stepper, checkpoints.dueInMs(), found);
        if (checkpoints.isDue(run.at)) {
          await this.#writeAll(run);
          checkpoints.offer(run.at);
        }
      }
      await this.#writeAll(run);
      await checkpoints.last(run.at);
    } finally {
      this.#deciding = undefined;
      this.#handed.clear();
      await write.settled();
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
  async #catchUp({ stepper, chain, at: from }: Run, to: Position): Promise<Position> {
    let at = from;
    while (at.nextOffset < to.nextOffset) {
      const limit = Math.min(this.#recordsMax, to.nextOffset - at.nextOffset);
      const records = await this.#deps.log.read(this.#workspace.id, at.nextOffset, limit);
      if (records.length === 0) break;
      assert(records[0]!.offset === at.nextOffset, 'the log contains the next record of the engine');
      const batch = stepper.newBatch(at);
      await this.#step(stepper, batch, records);
      chain.add(records);
      at = batch.positionAt(at.nextOffset + records.length);
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

  /**
   * Steps the next records, if there are any and the batch is not full.
   *
   * @returns how many were found
   */
  async #stepNext(run: Run): Promise<number> {
    const { stepper, unwritten } = run;
    const limit = this.#recordsMax - (unwritten?.records ?? 0);
    // Woken only because the batch before is written, or the batch is full.
    if (unwritten !== undefined && (limit <= 0 || this.#grownTo <= this.#readTo)) {
      if (limit <= 0) await run.write.ended();
      return unwritten.records;
    }
    const { records, areHanded } = await this.#read(steppedTo(run), limit);
    const last = records.at(-1);
    if (last === undefined) return 0;
    assert(records[0]!.offset === steppedTo(run), 'the log contains the next record of the engine');
    await this.#lives.look(records);
    const batch = unwritten?.batch ?? stepper.newBatch(run.at);
    await this.#step(stepper, batch, records);
    run.chain.add(records);
    run.unwritten = {
      batch,
      from: run.at,
      records: (unwritten?.records ?? 0) + records.length,
      nextOffset: last.offset + 1,
      epoch: last.epoch,
      areHanded: areHanded || unwritten?.areHanded === true,
    };
    return records.length;
  }

  async #read(offset: number, limit: number): Promise<NextRecords> {
    const handed = this.#handed.take(offset, limit);
    if (handed.length > 0) {
      this.#readTo = offset + handed.length;
      return { records: handed, areHanded: true };
    }
    // The read finds what was announced before it; what is announced meanwhile it may miss.
    this.#grownTo = 0;
    const records = await this.#deps.log.read(this.#workspace.id, offset, limit);
    this.#readTo = offset + records.length;
    if (records.length === limit) this.#grownTo = Infinity;
    return { records, areHanded: false };
  }

  /** Has the batch written. Call it when no other one is being written. */
  async #write(run: Run, { batch, from, records, nextOffset, epoch, areHanded }: Unwritten): Promise<void> {
    const position = batch.positionAt(nextOffset);
    const rows = await this.#share.chargeFor(records * recordMsMax, () =>
      this.#rows.of(batch, position, this.#deps.now()),
    );
    const fence = {
      ...this.#ownership,
      fromOffset: from.nextOffset,
      handedInEpoch: areHanded ? epoch : undefined,
      ranges: this.#ranges,
    };
    const decisions = position.decided - from.decided;
    const decided = { records, nextOffset, decisions, residentBytes: run.stepper.residentBytes };
    run.at = position;
    run.unwritten = undefined;
    run.write.start(async () => {
      await commitBatch(this.#deps.pool, fence, rows);
      this.#deps.report.batch(this.#workspace.id, decided);
      this.#rows.written(rows);
      if (rows.actions.some((action) => action.state === 'due')) this.#deps.report.actionsDue();
      this.#wentWell();
    });
  }

  /** Everything that is stepped is in the database then. */
  async #writeAll(run: Run): Promise<void> {
    await run.write.ended();
    if (run.unwritten !== undefined) await this.#write(run, run.unwritten);
    await run.write.ended();
  }

  async #step(stepper: Stepper, batch: SteppedBatch, records: readonly LogRecord[]): Promise<void> {
    await this.#share.begin();
    // A policy is compiled when its record is opened.
    const msMax = records.some(({ kind }) => kind === 'policy') ? Infinity : records.length * recordMsMax;
    const opened = await this.#share.chargeFor(msMax, () =>
      this.#opener.openAll(this.#workspace, records, stepper.quarantined),
    );
    await stepper.prefetch(opened);
    for (const record of records) if (stepper.quarantined.has(record.offset)) batch.putAside(record);
    for (let place = 0; place < opened.length;) {
      if (this.#share.isOver()) await this.#share.begin();
      place = await stepper.stepSome(opened, { from: place, isAlone: this.#share.isPressed }, batch);
    }
  }

  get #recordsMax(): number {
    return this.#share.isPressed ? pressedRecordsMax : batchRecordsMax;
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

/** The offset behind the last record that was stepped. */
function steppedTo({ at, unwritten }: Run): number {
  return unwritten?.nextOffset ?? at.nextOffset;
}
