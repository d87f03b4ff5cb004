import type { Pool } from 'pg';
import type { FactPage, Message } from './fact.ts';
import type { Cursor } from './stream-cursors.ts';

/** What is behind one cursor, and how to get it. */
export interface Delivering {
  readonly pool: Pool;
  readonly cursor: Cursor;
  /** The directory of files, such as `workspace=acme-production`; `undefined` for the audit log. */
  readonly workspace: string | undefined;
  readonly read: (from: number, limit: number) => Promise<FactPage>;
  /** The message as the stream may show it. */
  readonly mask: (message: Message) => object;
  /** Aborted when the process stops, or the stream's turn ends. */
  readonly stop: AbortSignal;
}

/** How the facts of a stream get to its target. */
export interface Delivery {
  /**
   * Delivers what is behind a cursor, and moves it when the receiver has confirmed.
   *
   * @returns whether nothing was left
   * @throws the reason why the receiver did not confirm; CursorMovedError
   */
  deliver(delivering: Delivering): Promise<boolean>;
  /** Whether a cursor has its turn now; without it: always. */
  isDue?(cursor: Cursor): boolean;
  /** Closes connections; the next delivery opens them again. */
  reset(): Promise<void>;
}

/** A file that is being written. */
export interface PartFile {
  /** @param json the message */
  add(message: object, json: string): Promise<void>;
  /** Resolves when the file is on the disk. */
  finish(): Promise<void>;
  /** Gives it up. */
  abandon(): Promise<void>;
}
