/**
 * Open pages by workspace. One poll per second serves all pages of a workspace; it starts with the first page and stops
 * with the last.
 */
import { Problem } from '@ringfence/contract';
import type { Notifications } from '@ringfence/log';
import type { Pool } from 'pg';
import { holdChannel } from '../../holds/hold-channel.ts';
import { lastLive, type NumberedEntry, readFedTo, readLive } from './live-log.ts';

const lookEveryMs = 1_000;
/** Per process: each is a connection and some kilobytes. */
const pagesMax = 500;
/** Per account: the tabs of a browser share one page per workspace, so this means many browsers and workspaces. */
const pagesOfOneMax = 20;
const askAgainSeconds = 30;

/** Receives changes, until it has left. */
export interface LivePage {
  /** The id of the account that opened it; `undefined` for a program, which has no limit of its own. */
  readonly owner: string | undefined;
  hear(entries: readonly NumberedEntry[]): void;
  /** Something changed since the last poll: more events were decided, or holds changed. */
  signal(event: 'moved' | 'hold'): void;
  /** The process stops. */
  end(): void;
}

interface Room {
  readonly pages: Set<LivePage>;
  /** Resolves when the present end of the live log is known: the first pages wait for it together. */
  begun: Promise<void>;
  after: number;
  /** The offset up to which the console was fed. */
  fedTo: number;
  /** Since the last poll. */
  haveHoldsChanged: boolean;
  timer: NodeJS.Timeout | undefined;
}

export interface SseHubOptions {
  readonly pool: Pool;
  readonly notifications: Pick<Notifications, 'hear'>;
  readonly onError: (error: unknown) => void;
}

export class SseHub {
  readonly #pool: Pool;
  readonly #onError: (error: unknown) => void;
  readonly #hearNoMore: () => void;
  readonly #rooms = new Map<string, Room>();
  #isClosed = false;

  constructor({ pool, notifications, onError }: SseHubOptions) {
    this.#pool = pool;
    this.#onError = onError;
    this.#hearNoMore = notifications.hear(holdChannel, {
      told: (workspaceId) => this.#holdsChanged(this.#rooms.get(workspaceId)),
      // Earlier notifications may be lost.
      listening: () => this.#rooms.forEach((room) => this.#holdsChanged(room)),
    });
  }

  /**
   * @returns a function that leaves
   * @throws Problem `rate.limited` when the process, or the account, has the maximum number of pages
   */
  async enter(workspaceId: string, page: LivePage): Promise<() => void> {
    const pages = [...this.#rooms.values()].flatMap((room) => [...room.pages]);
    if (this.#isClosed || pages.length >= pagesMax) throw tooMany('This process has the maximum number of open pages.');
    const own = pages.filter(({ owner }) => owner !== undefined && owner === page.owner);
    if (own.length >= pagesOfOneMax) throw tooMany(`This account has ${pagesOfOneMax} open pages. Close some.`);
    const room = this.#rooms.get(workspaceId) ?? this.#open(workspaceId);
    room.pages.add(page);
    await room.begun;
    return () => this.#leave(workspaceId, page);
  }

  close(): void {
    this.#isClosed = true;
    this.#hearNoMore();
    for (const room of this.#rooms.values()) {
      clearTimeout(room.timer);
      for (const page of room.pages) page.end();
    }
    this.#rooms.clear();
  }

  /** Pages hear of it with the next poll, however many changes there are. */
  #holdsChanged(room: Room | undefined): void {
    if (room !== undefined) room.haveHoldsChanged = true;
  }

  #open(workspaceId: string): Room {
    const room: Room = {
      pages: new Set(),
      begun: Promise.resolve(),
      after: 0,
      fedTo: 0,
      haveHoldsChanged: false,
      timer: undefined,
    };
    this.#rooms.set(workspaceId, room);
    room.begun = this.#begin(workspaceId, room);
    return room;
  }

  async #begin(workspaceId: string, room: Room): Promise<void> {
    try {
      room.after = await lastLive(this.#pool, workspaceId);
      room.fedTo = await readFedTo(this.#pool, workspaceId);
    } catch (error) {
      // The next page starts over.
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
    const { haveHoldsChanged } = room;
    room.haveHoldsChanged = false;
    for (const page of room.pages) {
      if (hasMoved) page.signal('moved');
      if (haveHoldsChanged) page.signal('hold');
      if (entries.length > 0) page.hear(entries);
    }
  }
}

function tooMany(detail: string): Problem {
  return new Problem('rate.limited', detail, { retryAfterSeconds: askAgainSeconds });
}
