import { BackupDamagedError, type Frame } from './frames.ts';

/** What a backup says of itself, first. */
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
  /** For a range of the log: which one. It has to be made before its records. */
  readonly range?: { readonly number: number; readonly range: number };
}

export interface TableEnd {
  readonly rows: number;
  /** Of the table's data, in hexadecimal digits. */
  readonly sha256: string;
}

export interface BackupEnd {
  readonly tables: number;
  readonly rows: number;
  /** Where the counters of identity columns stand. */
  readonly sequences: readonly { readonly sequence: string; readonly value: number }[];
}

/** What the frames of each kind hold. */
interface FrameContents {
  readonly M: Manifest;
  readonly T: TableStart;
  readonly E: TableEnd;
  readonly Z: BackupEnd;
}

/** @throws BackupDamagedError when the frame is of another kind or holds no JSON */
export function contentOf<Kind extends keyof FrameContents>(frame: Frame, kind: Kind): FrameContents[Kind] {
  if (frame.kind !== kind) throw new BackupDamagedError('The parts of the backup are not in their order.');
  try {
    return JSON.parse(frame.content.toString('utf8')) as FrameContents[Kind];
  } catch (cause) {
    throw new BackupDamagedError('The backup holds a part that cannot be read.', { cause });
  }
}
