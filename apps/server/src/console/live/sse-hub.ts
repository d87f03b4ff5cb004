/**
 * Pages that are open, by workspace. One look a second serves all pages of a workspace; the first that opens begins it,
 * the last that closes ends it.
 */
import { Problem } from '@ringfence/contract';
import type { Pool } from 'pg';
import { lastLive, type NumberedEntry, readFedTo, readLive } from './live-log.ts';

const lookEveryMs = 1_000;
/** Of one process: each is a connection and some kilobytes. */
const pagesMax = 500;
/** Of one account: the tabs of a browser share a page for each workspace, so these are many browsers and workspaces. */
const pagesOfOneMax = 20;
const askAgainSeconds = 30;

/** Hears what happens; told nothing more after it was left. */
export interface LivePage {
  /** The id of the account that opened it; `undefined`: a program, which is trusted with as many as there are. */
  readonly owner: string | undefined;
  hear(entries: readonly NumberedEntry[]): void;
  /** More events were decided than at the last look. */
  move(): void;
  /** The process stops. */
  end(): void;
}

interface Room {
  readonly pages: Set<LivePage>;
  /** Where the log stands was read: the pages that come first wait for it together. */
  begun: Promise<void>;
  after: number;
  /** Up to which offset the console's feed had come. */
  fedTo: number;
  timer: NodeJS.Timeout | undefined;
}

export class LiveRooms {
  readonly #pool: Pool;
  readonly #onError: (error: unknown) => void;
  readonly #rooms = new Map<string, Room>();
  #isClosed = false;

  constructor(pool: Pool, onError: (error: unknown) => void) {
    this.#pool = pool;
    this.#onError = onError;
  }

  /**
   * @returns what leaves again
   * @throws Problem `rate.limited` when the process, or whoever opens it, has as many pages as may be
   */
  async enter(workspaceId: string, page: LivePage): Promise<() => void> {
    const pages = [...this.#rooms.values()].flatMap((room) => [...room.pages]);
    if (this.#isClosed || pages.length >= pagesMax) throw tooMany('As many pages are open as this process takes.');
    const own = pages.filter(({ owner }) => owner !== undefined && owner === page.owner);
    if (own.length >= pagesOfOneMax) throw tooMany(`${pagesOfOneMax} pages of this account are open. Close some.`);
    const room = this.#rooms.get(workspaceId) ?? this.#open(workspaceId);
    room.pages.add(page);
    await room.begun;
    return () => this.#leave(workspaceId, page);
  }

  close(): void {
    this.#isClosed = true;
    for (const room of this.#rooms.values()) {
      clearTimeout(room.timer);
      for (const page of room.pages) page.end();
    }
    this.#rooms.clear();
  }

  #open(workspaceId: string): Room {
    const room: Room = { pages: new Set(), begun: Promise.resolve(), after: 0, fedTo: 0, timer: undefined };
    this.#rooms.set(workspaceId, room);
    room.begun = this.#begin(workspaceId, room);
    return room;
  }

  async #begin(workspaceId: string, room: Room): Promise<void> {
    try {
      room.after = await lastLive(this.#pool, workspaceId);
      room.fedTo = await readFedTo(this.#pool, workspaceId);
    } catch (error) {
      // Whoever comes next begins anew.
      this.#rooms.delete(workspaceId);
      throw error;
    }
    this.#lookLater(workspaceId, room);
  }

  #leave(workspaceId: string, page: LivePage): void {
    const room = this.#rooms.get(workspaceId);
    if (room === undefined || !room.pages.delete(page) || room.pages.size > 0) return;
    clearTimeout(room.timer);
    this.#rooms.delete(workspaceId);
  }

  #lookLater(workspaceId: string, room: Room): void {
    if (this.#isClosed || this.#rooms.get(workspaceId) !== room) return;
    room.timer = setTimeout(() => {
      this.#look(workspaceId, room)
        .catch((error: unknown) => this.#onError(error))
        .finally(() => this.#lookLater(workspaceId, room));
    }, lookEveryMs);
  }

  async #look(workspaceId: string, room: Room): Promise<void> {
    const fedTo = await readFedTo(this.#pool, workspaceId);
    const entries = await readLive(this.#pool, workspaceId, room.after);
    room.after = entries.at(-1)?.seq ?? room.after;
    const hasMoved = fedTo > room.fedTo;
    room.fedTo = fedTo;
    for (const page of room.pages) {
      if (hasMoved) page.move();
      if (entries.length > 0) page.hear(entries);
    }
  }
}

function tooMany(detail: string): Problem {
  return new Problem('rate.limited', detail, { retryAfterSeconds: askAgainSeconds });
}
