import { readHead } from '@ringfence/engine';
import type { Pool } from 'pg';
import type { Conclusion } from '../../decide/batch.ts';
import { emptyDigest } from '../../decide/digest.ts';
import { readReplaced } from '../../policies/refused-policy.ts';
import type { Position } from '../../decide/batch-writer.ts';
import { readQuarantined } from '../../decide/partition-records.ts';
import { replay, type ReplayDeps, type Replayed, type ReplayedBatch } from '../../decide/replay.ts';
import { eventId } from '../../records/event-id.ts';
import { readStart } from '../../decide/base-rows.ts';
import { whileAllIsKept } from '../../decide/retention/retention-lock.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { actionsText, type Change, changesOf, rulesText } from './compare-decision.ts';
import { type Gap, GapFinder, mayChangeWhatFollows, readKnownGaps } from './gaps.ts';
import { type RecordedDecision, RecordedDecisions } from './recorded-decisions.ts';

export interface VerifyDeps extends ReplayDeps {
  readonly pool: Pool;
}

/** The result of replaying a workspace's log. */
export interface Verification {
  /**
   * `same`: every decision is reproduced bit for bit. `partly`: everything reproducible is the same; decisions that a
   * gap may have changed differ, or can't be compared. `different`: a decision differs, and no gap explains it.
   */
  readonly verdict: 'same' | 'partly' | 'different';
  /** Records that the engine had decided when the replay began. */
  readonly records: number;
  readonly decisions: { readonly recorded: number; readonly replayed: number };
  /** SHA-256 chains over all decisions, in hex. */
  readonly digest: { readonly recorded: string; readonly replayed: string };
  /** Decisions whose row is no longer kept: only the chain covers them. */
  readonly withoutRow: number;
  readonly differences: {
    /** Before anything that a gap may have changed. */
    readonly unexplained: number;
    readonly afterGap: number;
  };
  /** The first one in the order of the decisions; an unexplained one before any other. */
  readonly first: Difference | undefined;
  readonly gaps: readonly Gap[];
}

/** A decision that differs from the recorded one. */
export interface Difference {
  readonly event: string;
  readonly kind: string;
  readonly offset: number;
  readonly recorded: Outline;
  readonly replayed: Outline;
  readonly changes: readonly Change[];
}

export interface Outline {
  readonly rules: string;
  readonly actions: string;
}

/**
 * Steps the whole log again and compares every decision with what was recorded: by the chain, and row by row to show
 * the first difference. Writes nothing; the service may continue meanwhile, but does not remove old records.
 *
 * @param onProgress called after each batch; an error ends the work
 */
export function verifyLog(
  deps: VerifyDeps,
  workspace: Workspace,
  onProgress: (done: number, of: number) => void,
): Promise<Verification> {
  return whileAllIsKept(deps.pool, () => verifyKept(deps, workspace, onProgress));
}

async function verifyKept(
  deps: VerifyDeps,
  workspace: Workspace,
  onProgress: (done: number, of: number) => void,
): Promise<Verification> {
  const recorded = await readRecorded(deps.pool, workspace.id);
  const end = recorded.nextOffset;
  const start = await readStart(deps, workspace);
  const gapFinder = new GapFinder({
    offset: start?.nextOffset ?? 0,
    policyVersion: start === undefined ? 0 : readHead(start.globals).policyVersion,
  });
  const comparison = new Comparison(deps, workspace);
  const replayed = await replay(deps, workspace, {
    start,
    end,
    quarantined: recorded.quarantined,
    onBatch: async (batch, at) => {
      gapFinder.add(batch.records);
      await comparison.add(batch);
      onProgress(at.nextOffset, end);
    },
  });
  const gaps = [
    ...droppedGap(start?.nextOffset ?? 0),
    ...gapFinder.found(end, await readReplaced(deps.pool, workspace.id)),
    ...(await readKnownGaps(deps.pool, workspace.id, end)),
  ];
  return comparison.result({ recorded, replayed, gaps });
}

interface Recorded extends Position {
  readonly quarantined: ReadonlySet<number>;
}

/** The engine's position, and its quarantine. */
async function readRecorded(pool: Pool, workspaceId: string): Promise<Recorded> {
  const found = await pool.query<{ next_offset: number; decided: number; digest: Buffer }>(
    `select next_offset, decided, digest from engine_position where workspace_id = $1`,
    [workspaceId],
  );
  const at = found.rows[0] ?? { next_offset: 0, decided: 0, digest: emptyDigest };
  const quarantined = await readQuarantined(pool, workspaceId);
  return { nextOffset: at.next_offset, decided: at.decided, digest: at.digest, quarantined };
}

function droppedGap(start: number): readonly Gap[] {
  if (start === 0) return [];
  return [{ kind: 'dropped', from: 0, to: start, records: start, reason: 'older than the retention of events' }];
}

/** Differences that are examined to find the first one; further ones are only counted. */
const rememberedMax = 100;

interface Compared {
  readonly recorded: Recorded;
  readonly replayed: Replayed;
  readonly gaps: readonly Gap[];
}

class Comparison {
  readonly #workspace: Workspace;
  readonly #recorded: RecordedDecisions;
  readonly #unreadable = new Set<number>();
  /** Offsets of all differing decisions, and the first of them in words. */
  readonly #differing: number[] = [];
  readonly #remembered: Difference[] = [];
  #withoutRow = 0;

  constructor(deps: VerifyDeps, workspace: Workspace) {
    this.#workspace = workspace;
    this.#recorded = new RecordedDecisions(deps.pool, deps.subjects);
  }

  async add({ records, conclusions }: ReplayedBatch): Promise<void> {
    for (const record of records) if (record.kind === 'unreadable') this.#unreadable.add(record.offset);
    const offsets = conclusions.map(({ decision }) => decision.offset);
    const recorded = await this.#recorded.read(this.#workspace, offsets);
    for (const conclusion of conclusions) {
      const { offset } = conclusion.decision;
      const row = recorded.get(offset);
      if (row === undefined) this.#withoutRow += 1;
      else if (!this.#unreadable.has(offset)) this.#compare(row, conclusion);
    }
  }

  #compare(recorded: RecordedDecision, replayed: Conclusion): void {
    const changes = changesOf(recorded, replayed, this.#workspace);
    if (changes.length === 0) return;
    const { decision, actions } = replayed;
    const { offset, event: kind } = decision;
    this.#differing.push(offset);
    if (this.#remembered.length >= rememberedMax) return;
    const rules = rulesText(decision.fired.map(({ reason }) => reason));
    this.#remembered.push({
      event: eventId({ epoch: recorded.epoch, offset }, this.#workspace),
      kind,
      offset,
      recorded: { rules: recordedRules(recorded), actions: actionsText(recorded.actions) },
      replayed: { rules, actions: actionsText(actions) },
      changes,
    });
  }

  result({ recorded, replayed, gaps }: Compared): Verification {
    const digest = { recorded: hex(recorded.digest), replayed: hex(replayed.digest) };
    // From here on, gaps may explain a difference.
    const gapFrom = Math.min(Infinity, ...gaps.filter(mayChangeWhatFollows).map(({ from }) => from));
    const unexplained = this.#differing.filter((offset) => offset < gapFrom).length;
    const isSame = digest.recorded === digest.replayed && this.#differing.length === 0;
    const isWhole = gaps.every(({ kind }) => kind !== 'dropped');
    const isExplained = unexplained === 0 && gapFrom < recorded.nextOffset;
    return {
      verdict: isSame && isWhole ? 'same' : isSame || isExplained ? 'partly' : 'different',
      records: recorded.nextOffset,
      decisions: { recorded: recorded.decided, replayed: replayed.decided },
      digest,
      withoutRow: this.#withoutRow,
      differences: { unexplained, afterGap: this.#differing.length - unexplained },
      first: this.#remembered.find(({ offset }) => offset < gapFrom) ?? this.#remembered[0],
      gaps,
    };
  }
}

/** The rules that matched, if readable; otherwise those that acted. */
function recordedRules({ detail, fired, shadow }: RecordedDecision): string {
  return rulesText(detail?.fired.map(({ reason }) => reason) ?? [...fired, ...shadow].toSorted((a, b) => a - b));
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
