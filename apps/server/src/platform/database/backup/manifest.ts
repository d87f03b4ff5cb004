import { BackupDamagedError, type Frame } from './frames.ts';

/** The description of a backup, at its start. */
export interface Manifest {
  readonly madeAt: string;
  readonly release: string;
  readonly postgres: string;
  /** Applied migrations in order, with the hash of each text. */
  readonly migrations: readonly { readonly name: string; readonly hash: string }[];
}

export interface TableStart {
  readonly table: string;
  readonly columns: readonly string[];
  /** For a range of the log: which one. The range must be created before its records are inserted. */
  readonly range?: { readonly number: number; readonly range: number };
  /** For a range of events; it must be created, too. */
  readonly eventRange?: EventRange;
}

/** The arguments of `event_make_range`. */
export interface EventRange {
  readonly workspace: string;
  readonly number: number;
  readonly low: number;
  readonly high: number;
}

export interface TableEnd {
  readonly rows: number;
  /** Of the table's data, in hexadecimal. */
  readonly sha256: string;
}

export interface BackupEnd {
  readonly tables: number;
  readonly rows: number;
  /** The current values of the identity columns' sequences. */
  readonly sequences: readonly { readonly sequence: string; readonly value: number }[];
}

/** The content of each kind of frame. */
interface FrameContents {
  readonly M: Manifest;
  readonly T: TableStart;
  readonly E: TableEnd;
  readonly Z: BackupEnd;
}

/** @throws BackupDamagedError when the frame is of another kind or does not contain JSON */
export function contentOf<Kind extends keyof FrameContents>(frame: Frame, kind: Kind): FrameContents[Kind] {
  if (frame.kind !== kind) throw new BackupDamagedError('The parts of the backup are out of order.');
  try {
    return JSON.parse(frame.content.toString('utf8')) as FrameContents[Kind];
  } catch (cause) {
    throw new BackupDamagedError('The backup contains a part that cannot be read.', { cause });
  }
}
