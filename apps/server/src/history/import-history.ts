import { basename } from 'node:path';
import { timeZone } from '@ringfence/contract';
import type { NetworkData } from '@ringfence/intel';
import type { ClientConfig } from 'pg';
import { connectForLongWork } from '../platform/database/database.ts';
import { OperatorError } from '../platform/observability/operator-error.ts';
import { blindIndex } from '../platform/secrets/blind-index.ts';
import type { SubjectKeys } from '../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { BlockWriter, overlapMax } from './block-writer.ts';
import { type Damage, DamageCount } from './damage.ts';
import { LeftOut, type LeftOutCount } from './left-out.ts';
import { LineReader } from './line-reader.ts';
import type { Mapping } from './mapping/mapping.ts';
import { readRecords } from './reading/read-file.ts';
import { rowSource } from './reading/row-source.ts';
import type { HistoryEvent, RowRefusal, RowRules } from './row-reader.ts';
import { beginSegment, completeSegment, type SegmentTotals } from './segments.ts';

export interface ImportDeps {
  readonly connection: ClientConfig;
  readonly subjects: Pick<SubjectKeys, 'ofClient'>;
}

export interface ImportFile {
  readonly path: string;
  readonly mapping: Mapping;
}

export interface ImportPlan {
  readonly workspace: Workspace;
  /** The data for IP look-ups. */
  readonly networks: NetworkData;
  /** The name of the new segment. */
  readonly name: string;
  /**
   * Of two events with the same time, the one whose file is listed first, or that comes first in its file, is first.
   */
  readonly files: readonly ImportFile[];
  readonly author: string;
  /** The file that receives the report of skipped lines. */
  readonly reportPath: string;
  /** Called periodically; an error thrown here aborts the import, which then stores nothing. */
  readonly onProgress: (progress: ImportProgress) => void;
}

export interface ImportProgress {
  readonly file: string;
  readonly lines: number;
  /** Fraction of the file, 0 to 1. */
  readonly share: number;
}

export interface Imported {
  readonly name: string;
  readonly events: number;
  readonly totals: SegmentTotals;
  readonly leftOut: readonly LeftOutCount[];
  /** `undefined` when no line was skipped. */
  readonly reportPath: string | undefined;
  /** By file: columns that the mapping does not read. */
  readonly unread: Readonly<Record<string, readonly string[]>>;
  /** By file: columns of the mapping that have a value in no line. */
  readonly absent: Readonly<Record<string, readonly string[]>>;
  /** Cells that look damaged, the most frequent kind first. */
  readonly damage: readonly Damage[];
  /** Lines whose time clocks showed twice, because they went back. */
  readonly twice: number;
}

/** When none of this many first lines of a file is accepted, its mapping is wrong. */
const hopelessLines = 1_000;

/**
 * Reads files into a new segment of history, parsing each line like ingest parses a request. Atomic: the segment
 * becomes visible when its last block is stored; blocks of an aborted import are never visible, and the next import
 * removes them. Memory is bounded whatever the size of the files.
 *
 * @throws OperatorError when a file can't be read, no line is accepted, or the lines are too far out of order
 * @throws Problem `state.conflict` when there is a segment of this name
 */
export async function importHistory(deps: ImportDeps, plan: ImportPlan): Promise<Imported> {
  const leftOut = new LeftOut(plan.reportPath);
  const client = await connectForLongWork(deps.connection);
  try {
    const { workspace, name, author, files } = plan;
    const source = files.map(({ path }) => calledIn(files, path));
    const segmentId = await beginSegment(client, { workspaceId: workspace.id, name, source, author });
    const writer = new BlockWriter({ client, subjects: deps.subjects, workspace, segmentId });
    const filler = new SegmentFiller(plan, writer, leftOut);
    const totals = await filler.fill();
    const reportPath = leftOut.close();
    await completeSegment(client, segmentId, totals);
    const events = totals.logins + totals.logouts + totals.operations;
    const { unread, absent, damage, twice } = filler;
    return {
      name,
      events,
      totals,
      leftOut: leftOut.counts(),
      reportPath,
      unread,
      absent,
      damage: damage.counts(),
      twice,
    };
  } finally {
    leftOut.close();
    await client.end();
  }
}

/** Fills one segment with the lines of all files. */
class SegmentFiller {
  readonly unread: Record<string, readonly string[]> = {};
  readonly absent: Record<string, readonly string[]> = {};
  readonly damage = new DamageCount();
  twice = 0;
  readonly #plan: ImportPlan;
  readonly #writer: BlockWriter;
  readonly #leftOut: LeftOut;
  readonly #totals = { logins: 0, logouts: 0, operations: 0, fraud: 0, legitimate: 0 };

  constructor(plan: ImportPlan, writer: BlockWriter, leftOut: LeftOut) {
    this.#plan = plan;
    this.#writer = writer;
    this.#leftOut = leftOut;
  }

  async fill(): Promise<SegmentTotals> {
    for (const file of this.#plan.files) await this.#readFile(file);
    await this.#writer.flush();
    const { logins, logouts, operations } = this.#totals;
    if (logins + logouts + operations === 0) {
      if (this.#leftOut.lines > 0) throw this.#hopeless('the lines');
      throw new OperatorError('The files contain no event.', 'Nothing was imported.');
    }
    const overlap = this.#writer.overlap();
    if (overlap.spans > overlapMax) {
      const at = new Date(overlap.atMs).toISOString();
      throw new OperatorError(
        `The lines are too far out of time order: events of about ${at} are spread all over the files.`,
        'Sort each file by time, oldest or newest first. Nothing was imported.',
      );
    }
    return { ...this.#totals, leftOut: this.#leftOut.lines };
  }

  async #readFile({ path, mapping }: ImportFile): Promise<void> {
    const format = mapping.format ?? formatOf(path);
    const name = calledIn(this.#plan.files, path);
    const lines = new LineReader(mapping, rowSource(format, mapping, path), {
      rules: rowRules(this.#plan),
      damage: (found, line) => this.damage.add({ file: name, ...found }, line),
    });
    const delimiter = format === 'csv' ? quotedDelimiter(mapping) : undefined;
    const before = { lines: this.#leftOut.lines };
    let taken = 0;
    let read = 0;
    for await (const { records, share } of readRecords(path, { delimiter })) {
      for (const record of records) {
        const event = lines.read(record);
        if (event === undefined) continue;
        if (isRefused(event)) {
          if (lines.awaitsNames) throw noNames(path, record.line, event[0]!.reason);
          this.#leftOut.add(name, record.line, event);
          if (taken === 0 && this.#leftOut.lines - before.lines === hopelessLines)
            throw this.#hopeless(`the first ${hopelessLines} lines of ${path}`);
          continue;
        }
        taken += 1;
        this.#count(event);
        this.#writer.add(event);
        if (this.#writer.isFull) await this.#writer.flush();
      }
      read = records.at(-1)?.line ?? read;
      this.#plan.onProgress({ file: name, lines: read, share });
    }
    this.unread[name] = lines.unread;
    if (taken > 0) this.absent[name] = lines.absent;
    this.twice += lines.twice;
  }

  #count({ event, label }: HistoryEvent): void {
    this.#totals[`${event.kind}s`] += 1;
    if (label !== undefined) this.#totals[label] += 1;
  }

  #hopeless(lines: string): OperatorError {
    const [{ member, reason }] = this.#leftOut.counts() as [LeftOutCount];
    return new OperatorError(
      `None of ${lines} could be imported. Most frequent reason: ${member === '' ? '' : `${member}: `}${reason}`,
      `The mapping does not fit; ${this.#plan.reportPath} lists every line. Nothing was imported.`,
    );
  }
}

/** Its base name, or the whole path when another file of the import has the same name. */
function calledIn(files: readonly ImportFile[], path: string): string {
  const name = basename(path);
  return files.filter((file) => basename(file.path) === name).length > 1 ? path : name;
}

function isRefused(event: HistoryEvent | readonly RowRefusal[]): event is readonly RowRefusal[] {
  return Array.isArray(event);
}

/** Otherwise the next line, which holds a client's data, would be mistaken for the column names. */
function noNames(path: string, line: number, reason: string): OperatorError {
  return new OperatorError(
    `${path}:${line} names the columns, but cannot be read: ${reason}`,
    'A file without a header line needs `columns` in the mapping. Nothing was imported.',
  );
}

/** The delimiter in the file's encoding when cells may be quoted; `undefined` when quotes have no meaning. */
function quotedDelimiter({ csv, encoding }: Mapping): Buffer | undefined {
  return csv.quotes ? Buffer.from(csv.delimiter, encoding === 'utf-8' ? 'utf8' : 'latin1') : undefined;
}

/** @throws OperatorError for an unknown extension */
function formatOf(path: string): 'csv' | 'ndjson' {
  if (/\.(?:csv|tsv|txt)(?:\.gz)?$/i.test(path)) return 'csv';
  if (/\.(?:ndjson|jsonl)(?:\.gz)?$/i.test(path)) return 'ndjson';
  throw new OperatorError(
    `The name of ${path} does not show its format.`,
    'Set `format: csv` or `format: ndjson` in the mapping.',
  );
}

/** The same rules as at ingest. */
function rowRules({ workspace: { settings, secrets }, networks }: ImportPlan): RowRules {
  return {
    zone: timeZone(settings.timezone) ?? timeZone('UTC')!,
    cards: settings.cards,
    hashCard: (hash) => blindIndex(secrets.index, hash, 'card').toString('hex'),
    networks,
  };
}
