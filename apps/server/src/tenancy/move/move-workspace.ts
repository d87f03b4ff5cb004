/**
 * Moves a workspace to another database while it serves.
 *
 *   copying    the target has the workspace as `arriving`; its rows are copied in batches, then those that changed
 *   closing    no process decides it; its log takes no records, and its rows no changes; the last ones are copied
 *   switched   the target has it as `here`: from that commit on there is no way back
 *   removing   the source's rows are dropped        kept   with `keep`, they stay until `finishMove`
 *   aborting   given up before the switch; the target's rows are dropped
 *
 * Each phase is durable in the home database, and each step may be repeated: after a crash, the same call goes on. The
 * commit that switches is in the target, so its `placement` decides, whatever the home database says.
 */
import { PlacedReader, type RecordStore } from '@ringfence/log';
import type { Client } from 'pg';
import { openPlacedReader } from '../../platform/database/event-log.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { homeDatabase } from '../../platform/database/cell.ts';
import { captureChanges, dropTriggers, guardArrivals, waitForWriters } from './change-capture.ts';
import {
  compareEnds,
  compareLogs,
  copyEventRanges,
  copyHead,
  copyLog,
  dropRemoved,
  makePartition,
  readHead,
} from './copy-log.ts';
import { compareTable, copyChanges, copyTable, type OnCopied, type Sides } from './copy-tables.ts';
import { raiseIdentities } from './identities.ts';
import { cellNumber, copyArtifacts, copyWorkspaceRow, countRows, requireFree } from './beside-tables.ts';
import { letGo } from './let-go.ts';
import { type MoveDatabase, openMoveSession, requireCopyRights, transaction } from './move-session.ts';
import { removeRows } from './remove-rows.ts';
import { readShapes, type TableShape } from './table-shape.ts';

/** What the move does now, in this order. A step that begins again after a crash is reported again. */
export type MoveStep =
  | 'preparing'
  | 'copying'
  | 'catching up'
  | 'comparing'
  | 'letting go'
  | 'closed'
  | 'copied'
  | 'switched'
  | 'registered'
  | 'left'
  | 'removing'
  | 'done';

export interface MoveProgress {
  readonly step: MoveStep;
  readonly rows: number;
  readonly bytes: number;
  readonly rowsTotal: number;
}

export interface MovedWorkspace {
  readonly id: string;
  readonly name: string;
  readonly environment: string;
}

export interface MoveOptions {
  readonly workspace: MovedWorkspace;
  readonly home: MoveDatabase;
  readonly from: MoveDatabase;
  readonly to: MoveDatabase;
  /** Leaves the source's rows where they are, until `finishMove`. */
  readonly keep?: boolean;
  /** Where the source's log has bytes outside PostgreSQL. Default: the topic of its connection. */
  readonly records?: RecordStore;
  /** Called at least at each step; the move waits for it. */
  readonly onProgress?: (progress: MoveProgress) => Promise<void> | void;
}

export interface MoveResult {
  readonly rows: number;
  readonly bytes: number;
  /** How long the log took no records. */
  readonly pauseMs: number;
}

export type MovePhase = 'copying' | 'closing' | 'switched' | 'kept' | 'removing' | 'aborting';

/** Changes of one pass that are few enough for the last one: it takes a fraction of a second. */
const shortPass = 2_000;
/** If the workspace changes faster than its changes are copied, the move ends with an error instead of a long pause. */
const passesMax = 200;

/** Moves the workspace, or goes on with its move. @throws OperatorError if it cannot be moved; nothing is lost then */
export async function moveWorkspace(options: MoveOptions): Promise<MoveResult> {
  const sessions = await openSessions(options);
  const move = new Move(options, sessions);
  try {
    return await move.run();
  } finally {
    await sessions.close();
  }
}

/** Gives up a move before its switch. @throws OperatorError once it is switched */
export async function abortMove(options: MoveOptions): Promise<void> {
  const sessions = await openSessions(options);
  try {
    await new Move(options, sessions).abort();
  } finally {
    await sessions.close();
  }
}

/** Drops the rows that a move with `keep` left in the source. */
export async function finishMove(options: MoveOptions): Promise<void> {
  const sessions = await openSessions(options);
  try {
    await new Move(options, sessions).finish();
  } finally {
    await sessions.close();
  }
}

interface Sessions extends Sides {
  readonly home: Client;
  /** Holds locks in the source for as long as the move runs. */
  readonly locks: Client;
  close(): Promise<void>;
}

async function openSessions({ home, from, to, records }: MoveOptions): Promise<Sessions> {
  const opened: Client[] = [];
  const reader =
    records === undefined
      ? openPlacedReader(from.connection)
      : { placed: new PlacedReader(records), close: async () => {} };
  const open = async (database: MoveDatabase): Promise<Client> => {
    const client = await openMoveSession(database);
    opened.push(client);
    return client;
  };
  const close = async (): Promise<void> => {
    await Promise.all([...opened.map((client) => client.end().catch(() => undefined)), reader.close()]);
  };
  try {
    return {
      home: await open(home),
      source: await open(from),
      target: await open(to),
      locks: await open(from),
      placed: reader.placed,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

class Move {
  readonly #options: MoveOptions;
  readonly #sessions: Sessions;
  readonly #id: string;
  #rows = 0;
  #bytes = 0;
  #rowsTotal = 0;
  #step: MoveStep = 'preparing';
  #notedAtMs = 0;

  constructor(options: MoveOptions, sessions: Sessions) {
    this.#options = options;
    this.#sessions = sessions;
    this.#id = options.workspace.id;
  }

  async run(): Promise<MoveResult> {
    await this.#takeLock();
    const phase = await this.#phase();
    if (phase === 'aborting') {
      throw new OperatorError(
        `The move of ${this.#options.workspace.name} is being given up.`,
        'End that first, with --abort.',
      );
    }
    let pauseMs = 0;
    const isSwitched = await this.#isSwitched();
    if (isSwitched && phase === undefined) {
      const { workspace, to } = this.#options;
      throw new OperatorError(
        `${workspace.name} is in ${to.name} already.`,
        'See where each is: ringfence workspace list',
      );
    }
    if (!isSwitched) {
      await this.#prepare();
      await this.#copy();
      pauseMs = await this.#switch();
    }
    await this.#register(pauseMs);
    const result = {
      rows: this.#rows,
      bytes: this.#bytes,
      pauseMs: pauseMs === 0 ? await this.#notedPause() : pauseMs,
    };
    if (this.#options.keep === true) await this.#setPhase('kept');
    else await this.#remove();
    await this.#tell('done');
    return result;
  }

  async abort(): Promise<void> {
    await this.#takeLock();
    const { workspace } = this.#options;
    if ((await this.#phase()) === undefined) {
      throw new OperatorError(
        `${workspace.name} is not moving.`,
        'See where each workspace is: ringfence workspace list',
      );
    }
    if (await this.#isSwitched()) {
      throw new OperatorError(
        `${workspace.name} is in ${this.#options.to.name} already.`,
        'Let the move end, and move it back if you want to.',
      );
    }
    await this.#setPhase('aborting');
    const { source, target, home } = this.#sessions;
    const id = [this.#id];
    // Open again before the copy goes: the service goes on at once.
    await transaction(source, async () => {
      await source.query(`update workspace_leaving set released = false, closed = false where workspace_id = $1`, id);
      await source.query(`update log_partition set closed = false where partition = $1`, id);
    });
    await this.#endCapture();
    const targetShapes = await readShapes(target, this.#id);
    const there = await readHead(target, this.#id);
    if (there !== undefined)
      await removeRows(target, { shapes: targetShapes, workspaceId: this.#id, number: there.number });
    if (there !== undefined) await dropTriggers(target, targetShapes, there.number);
    await transaction(home, async () => {
      if (this.#options.from.name === homeDatabase)
        await home.query(`delete from workspace_database where workspace_id = $1`, id);
      else await home.query(`update workspace_database set moving_to = null where workspace_id = $1`, id);
      await home.query(`delete from workspace_move where workspace_id = $1`, id);
    });
  }

  async finish(): Promise<void> {
    await this.#takeLock();
    if (!(await this.#isSwitched())) {
      throw new OperatorError(
        `The move of ${this.#options.workspace.name} has not switched yet.`,
        'Go on with it by the same command without --finish, or give it up with --abort.',
      );
    }
    await this.#register(0);
    await this.#remove();
  }

  async #takeLock(): Promise<void> {
    const { home } = this.#sessions;
    const { rows } = await home.query<{ taken: boolean }>(
      `select pg_try_advisory_lock(hashtextextended('ringfence.move', 0)) as taken`,
    );
    if (rows[0]!.taken) return;
    throw new OperatorError('Another command is moving a workspace.', 'One moves at a time: wait until it has ended.');
  }

  async #phase(): Promise<MovePhase | undefined> {
    const { rows } = await this.#sessions.home.query<{
      phase: MovePhase;
      to_database: string;
      rows: number;
      bytes: number;
      rows_total: number;
    }>(`select phase, to_database, rows, bytes, rows_total from workspace_move where workspace_id = $1`, [this.#id]);
    const found = rows[0];
    if (found === undefined) return undefined;
    if (found.to_database !== this.#options.to.name) {
      throw new OperatorError(
        `${this.#options.workspace.name} is moving to ${found.to_database}.`,
        `Go on with that move, or give it up with --abort.`,
      );
    }
    this.#rows = found.rows;
    this.#bytes = found.bytes;
    this.#rowsTotal = found.rows_total;
    return found.phase;
  }

  async #notedPause(): Promise<number> {
    const { rows } = await this.#sessions.home.query<{ pause_ms: number | null }>(
      `select pause_ms from workspace_move where workspace_id = $1`,
      [this.#id],
    );
    return rows[0]?.pause_ms ?? 0;
  }

  async #isSwitched(): Promise<boolean> {
    const { rows } = await this.#sessions.target.query<{ placement: string }>(
      `select placement from workspace where id = $1`,
      [this.#id],
    );
    return rows[0]?.placement === 'here';
  }

  async #setPhase(phase: MovePhase): Promise<void> {
    await this.#sessions.home.query(`update workspace_move set phase = $2 where workspace_id = $1`, [this.#id, phase]);
  }

  async #tell(step: MoveStep): Promise<void> {
    this.#step = step;
    await this.#options.onProgress?.({ step, rows: this.#rows, bytes: this.#bytes, rowsTotal: this.#rowsTotal });
  }

  readonly #onCopied: OnCopied = async ({ rows, bytes }) => {
    this.#rows += rows;
    this.#bytes += bytes;
    if (performance.now() - this.#notedAtMs > noteEveryMs) await this.#noteProgress();
    await this.#tell(this.#step);
  };

  async #noteProgress(): Promise<void> {
    this.#notedAtMs = performance.now();
    await this.#sessions.home.query(
      `update workspace_move set rows = $2, bytes = $3, rows_total = $4 where workspace_id = $1`,
      [this.#id, this.#rows, this.#bytes, this.#rowsTotal],
    );
  }

  /** What a move needs is checked before anything is written. */
  async #prepare(): Promise<void> {
    const { home, source, target, locks } = this.#sessions;
    const { workspace, from, to } = this.#options;
    await this.#tell('preparing');
    const numbers = { from: await cellNumber(source, from.name), to: await cellNumber(target, to.name) };
    await requireCopyRights(target, to.name);
    await requireCopyRights(source, from.name);
    await requireFree(this.#sessions, this.#options);
    await source.query('select spread_identities($1)', [numbers.from]);
    await target.query('select spread_identities($1)', [numbers.to]);
    // Retention drops ranges, which no trigger sees; it is one process, and tries again.
    await locks.query(`select pg_advisory_lock_shared(hashtextextended('ringfence.retention', 0))`);
    await transaction(home, async () => {
      await home.query(
        `insert into workspace_move (workspace_id, name, environment, from_database, to_database, phase)
         values ($1, $2, $3, $4, $5, 'copying') on conflict (workspace_id) do nothing`,
        [workspace.id, workspace.name, workspace.environment, from.name, to.name],
      );
      await home.query(
        `insert into workspace_database (workspace_id, name, environment, database, moving_to) values ($1, $2, $3, $4, $5)
         on conflict (workspace_id) do update set moving_to = $5`,
        [workspace.id, workspace.name, workspace.environment, from.name, to.name],
      );
    });
    const { number } = (await readHead(source, this.#id))!;
    await source.query(
      `insert into workspace_leaving (workspace_id, number) values ($1, $2) on conflict (workspace_id) do nothing`,
      [this.#id, number],
    );
    await captureChanges(source, await this.#shapes(), number);
    await copyWorkspaceRow(this.#sessions, this.#id);
    await guardArrivals(target, await readShapes(target, this.#id), await makePartition(this.#sessions, this.#id));
    if (this.#rowsTotal === 0) this.#rowsTotal = await countRows(source, this.#id);
    await this.#noteProgress();
  }

  #shapes(): Promise<readonly TableShape[]> {
    return readShapes(this.#sessions.source, this.#id);
  }

  async #copy(): Promise<void> {
    const sessions = this.#sessions;
    const shapes = await this.#shapes();
    await this.#tell('copying');
    await dropRemoved(sessions, this.#id);
    await copyEventRanges(sessions, this.#id);
    await copyLog(sessions, this.#id, this.#onCopied);
    for (const shape of shapes) await copyTable(sessions, shape, this.#onCopied);
    await this.#tell('catching up');
    await this.#catchUp(shapes, false);
    await this.#tell('comparing');
    await compareLogs(sessions, this.#id);
    for (const shape of shapes) await compareTable(sessions, shape);
    await this.#tell('catching up');
    await this.#catchUp(shapes, true);
  }

  /** Passes until one is short. */
  async #catchUp(shapes: readonly TableShape[], isVerified: boolean): Promise<void> {
    for (let passes = 1; ; passes++) {
      const taken = await this.#pass(shapes, isVerified);
      if (taken <= shortPass) return;
      if (passes === passesMax) {
        throw new OperatorError(
          `${this.#options.workspace.name} changes faster than its changes are copied.`,
          'Start the move again when less is going on: it goes on where it was.',
        );
      }
    }
  }

  async #pass(shapes: readonly TableShape[], isVerified: boolean): Promise<number> {
    const sessions = this.#sessions;
    await copyLog(sessions, this.#id, this.#onCopied);
    await copyHead(sessions, this.#id);
    await copyEventRanges(sessions, this.#id);
    await copyArtifacts(this.#sessions);
    await copyWorkspaceRow(this.#sessions, this.#id);
    return copyChanges(sessions, shapes, { isVerified, onCopied: this.#onCopied });
  }

  /** @returns how long the log took no records */
  async #switch(): Promise<number> {
    const { source, target, locks } = this.#sessions;
    const shapes = await this.#shapes();
    await this.#setPhase('closing');
    await this.#tell('letting go');
    await letGo({ source, locks }, this.#id);
    await this.#catchUp(shapes, true);
    // What came while that pass ran is little: the last one begins soon after it.
    await this.#pass(shapes, true);
    const sinceMs = performance.now();
    // Waits for the append under way, which holds the partition's row.
    await source.query(`update log_partition set closed = true where partition = $1`, [this.#id]);
    await source.query(`update workspace_leaving set closed = true where workspace_id = $1`, [this.#id]);
    await transaction(source, () => source.query(waitForWriters(this.#id)));
    await this.#tell('closed');
    await this.#pass(shapes, true);
    await compareEnds(this.#sessions, this.#id);
    await this.#tell('copied');
    const cell = await cellNumber(target, this.#options.to.name);
    await transaction(target, async () => {
      await raiseIdentities(target, { cell, workspaceId: this.#id });
      // Those that came are forgotten here too, if they were not yet.
      await target.query(
        `update erasure_forgotten set erasure_id = least(erasure_id, (select min(id) - 1 from erasure where workspace_id = $1))`,
        [this.#id],
      );
      // The records go on, and no offset is given twice: so it is no new life of the log.
      await target.query(`update log_partition set life = log_life(), closed = false where partition = $1`, [this.#id]);
      await target.query(`update workspace set placement = 'here' where id = $1`, [this.#id]);
    });
    const pauseMs = Math.max(1, Math.round(performance.now() - sinceMs));
    await this.#tell('switched');
    return pauseMs;
  }

  /** The home database, and then the source, learn where it is now. */
  async #register(pauseMs: number): Promise<void> {
    const { home, source } = this.#sessions;
    const { workspace, to } = this.#options;
    await transaction(home, async () => {
      if (to.name === homeDatabase) {
        await home.query(`delete from workspace_database where workspace_id = $1`, [workspace.id]);
      } else {
        await home.query(
          `update workspace_database set database = $2, moving_to = null, moved_at = now() where workspace_id = $1 and (database <> $2 or moving_to is not null)`,
          [workspace.id, to.name],
        );
      }
      await home.query(
        `update workspace_move set phase = 'switched', pause_ms = coalesce(pause_ms, $2), rows = $3, bytes = $4
          where workspace_id = $1`,
        [workspace.id, pauseMs === 0 ? null : pauseMs, this.#rows, this.#bytes],
      );
    });
    await this.#tell('registered');
    await source.query(`update workspace set placement = 'left' where id = $1 and placement <> 'left'`, [workspace.id]);
    await this.#tell('left');
  }

  async #remove(): Promise<void> {
    const { home, source, target } = this.#sessions;
    await this.#setPhase('removing');
    await this.#tell('removing');
    const head = await readHead(source, this.#id);
    const shapes = await this.#shapes();
    if (head !== undefined) await removeRows(source, { shapes, workspaceId: this.#id, number: head.number });
    await this.#endCapture();
    const there = (await readHead(target, this.#id))!;
    await dropTriggers(target, await readShapes(target, this.#id), there.number);
    await target.query(`delete from move_copied where workspace_id = $1`, [this.#id]);
    await home.query(`delete from workspace_move where workspace_id = $1`, [this.#id]);
  }

  async #endCapture(): Promise<void> {
    const { source } = this.#sessions;
    const { rows } = await source.query<{ number: number }>(
      `select number from workspace_leaving where workspace_id = $1`,
      [this.#id],
    );
    if (rows[0] !== undefined) await dropTriggers(source, await this.#shapes(), rows[0].number);
    await source.query(`delete from move_change where workspace_id = $1`, [this.#id]);
    await source.query(`delete from workspace_leaving where workspace_id = $1`, [this.#id]);
  }
}

/** How often the home database learns how far the move is. */
const noteEveryMs = 1_000;
