import type { EngineSettings, ListChange } from '@ringfence/engine';
import type { EventLog } from '@ringfence/log';
import type { Pool } from 'pg';
import { readDecidedTo, readQuarantined } from '../../decide/partition-records.ts';
import { RecordOpener } from '../../records/record-opener.ts';
import type { PolicySource } from '../../policies/policy-cache.ts';
import { HistoryWriter } from '../../history/history-bytes.ts';
import { readLabels } from '../../console/labels/stored-labels.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import { engineSettings } from '../../tenancy/workspaces/settings.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { PresentLists } from './present-lists.ts';
import { type PackedBatch, packRecord } from '../../history/record-codec.ts';
import type { BacktestSource } from './source.ts';

export interface LogSourceDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
}

/** The part of the log that a backtest uses. */
export interface LogRange {
  readonly start: number;
  readonly end: number;
  /** Records in quarantine, which the live engine skipped. */
  readonly quarantined: ReadonlySet<number>;
  /** The contents of live lists before the start. */
  readonly lists?: PresentLists | undefined;
}

const batchRecords = 4_096;

/** The range of all records that are still kept and decided by now. */
export async function decidedRange(
  { pool, log }: { readonly pool: Pool; readonly log: Pick<EventLog, 'head'> },
  workspaceId: string,
): Promise<Omit<LogRange, 'lists'>> {
  const end = await readDecidedTo(pool, workspaceId);
  const { start } = await log.head(workspaceId);
  return { start, end, quarantined: await readQuarantined(pool, workspaceId) };
}

/**
 * The decided records of a workspace's live log. Outcomes, unblocks and settings are applied as they happened; only the
 * log's policies are omitted.
 */
export class LogSource implements BacktestSource {
  readonly total: number;
  readonly labelsAtOnce = false;
  /** If the record that set them is no longer kept, the present ones are used. */
  readonly settings: EngineSettings | undefined;
  readonly #deps: LogSourceDeps;
  readonly #workspace: Workspace;
  readonly #range: LogRange;
  readonly #lists: PresentLists | undefined;

  constructor(deps: LogSourceDeps, workspace: Workspace, range: LogRange) {
    this.#lists = range.lists;
    this.#deps = deps;
    this.#workspace = workspace;
    this.#range = range;
    this.total = range.end - range.start;
    const { settings, channels } = workspace;
    this.settings = range.start === 0 ? undefined : engineSettings({ settings, channels: [...channels.values()] });
  }

  /** If the records that added items are no longer kept. */
  get lists(): readonly ListChange[] {
    return this.#lists?.changes ?? [];
  }

  async *batches(): AsyncGenerator<PackedBatch> {
    const { start, end, quarantined } = this.#range;
    const { log, pool, subjects } = this.#deps;
    const opener = new RecordOpener(subjects, noPolicies);
    const writer = new HistoryWriter();
    for (let offset = start; offset < end;) {
      const records = await log.read(this.#workspace.id, offset, Math.min(batchRecords, end - offset));
      const first = records[0];
      if (first === undefined) return;
      const kept = records.filter(({ kind }) => kind !== 'policy');
      const labels = await readLabels(pool, this.#workspace.id, { from: first.offset, to: records.at(-1)!.offset });
      for (const { record } of await opener.openAll(this.#workspace, kept, quarantined)) {
        if (record.kind !== 'policy') packRecord(writer, record, labels.get(record.offset));
      }
      yield { offset: first.offset, logTimeMs: first.logTimeMs, records: records.length, bytes: writer.take() };
      offset = records.at(-1)!.offset + 1;
    }
  }

  notes(): readonly string[] {
    if (this.#range.start === 0) return [];
    const known = 'The log contains no older events, so nothing is known of what happened before.';
    return [known, ...(this.#lists?.note === undefined ? [] : [this.#lists.note])];
  }
}

/** Records of policies are never opened. */
const noPolicies: PolicySource = {
  policy: () => Promise.reject(new Error('a backtest opens no policy of the log')),
};
