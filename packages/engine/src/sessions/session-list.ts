import { endedSessionsMax, sessionsMax } from '../limits.ts';
import { markOf, type Session } from './session.ts';

/**
 * Up to this length, lists are reallocated at their exact length: most clients never have more, and `push` reserves
 * seventeen.
 */
const exactMax = 8;
/** Numbers per session. */
const toldEach = 2;
const markAt = 0;
const endAt = 1;

const noSessions: Session[] = [];
const noNumbers: number[] = [];

/**
 * The remembered sessions of one client, the newest last. Session objects are scattered in memory, so the numbers that
 * every login compares are kept together in one list.
 */
export class SessionList {
  #all = noSessions;
  /** For each session its `mark` and its `endsAtMs`. */
  #told = noNumbers;

  get all(): readonly Session[] {
    return this.#all;
  }

  /** Searches from the newest, which is needed most often. */
  find(channelId: number, id: string): Session | undefined {
    return this.#all[this.#placeOf(channelId, id)];
  }

  /** The same, if it is still in the life that this login opened. */
  findLife({ channelId, id, openedOffset }: Pick<Session, 'channelId' | 'id' | 'openedOffset'>): Session | undefined {
    const session = this.find(channelId, id);
    return session?.openedOffset === openedOffset ? session : undefined;
  }

  /** Replaces the session with its channel and name, or adds it. */
  put(session: Session, nowMs: number): void {
    const place = this.#placeOf(session.channelId, session.id);
    if (place < 0) {
      this.add(session, nowMs);
      return;
    }
    this.#all[place] = session;
    this.#tell(place, session);
  }

  /** Adds a session that is not in the list. Beyond the bounds those that ended first are forgotten. */
  add(session: Session, nowMs: number): void {
    if (this.#all.length < exactMax) this.restore([...this.#all, session]);
    else {
      this.#all.push(session);
      this.#told.push(session.mark, session.endsAtMs);
    }
    if (this.#all.length > endedSessionsMax) this.#bound(nowMs);
  }

  /** Restores sessions from a snapshot. */
  restore(sessions: Session[]): void {
    this.#all = sessions;
    // oxlint-disable-next-line unicorn/no-new-array -- others leave room to spare
    this.#told = new Array<number>(sessions.length * toldEach);
    for (let place = 0; place < sessions.length; place++) this.#tell(place, sessions[place]!);
  }

  /** Must be called after a session of the list was changed in place. */
  changed(session: Session): void {
    let place = this.#all.length - 1;
    while (this.#all[place] !== session) place--;
    this.#tell(place, session);
  }

  /** A copy of the list with the same session objects. */
  copy(): SessionList {
    const copy = new SessionList();
    copy.restore([...this.#all]);
    return copy;
  }

  #tell(place: number, { mark, endsAtMs }: Session): void {
    this.#told[place * toldEach + markAt] = mark;
    this.#told[place * toldEach + endAt] = endsAtMs;
  }

  #placeOf(channelId: number, id: string): number {
    const mark = markOf(id);
    for (let place = this.#all.length - 1; place >= 0; place--) {
      if (this.#told[place * toldEach + markAt] !== mark) continue;
      const session = this.#all[place]!;
      if (session.channelId === channelId && session.id === id) return place;
    }
    return -1;
  }

  #bound(nowMs: number): void {
    while (this.#all.length > endedSessionsMax && this.#forgetsEnded(nowMs));
    while (this.#all.length > sessionsMax) this.#takeOut(this.#longestUnused());
  }

  /** Removes the session that ended first, if too many are remembered. Returns whether it did. */
  #forgetsEnded(nowMs: number): boolean {
    let ended = 0;
    // Among those that ended at the same time, the first.
    let longest = -1;
    let sinceMs = Infinity;
    for (let place = 0; place < this.#all.length; place++) {
      const endsAtMs = this.#told[place * toldEach + endAt]!;
      if (nowMs < endsAtMs) continue;
      ended++;
      if (endsAtMs >= sinceMs) continue;
      longest = place;
      sinceMs = endsAtMs;
    }
    if (ended <= endedSessionsMax && (this.#all.length <= sessionsMax || ended === 0)) return false;
    this.#takeOut(longest);
    return true;
  }

  /** Among equals, the first. */
  #longestUnused(): number {
    let longest = 0;
    for (let place = 1; place < this.#all.length; place++) {
      if (this.#all[place]!.lastEventAtMs < this.#all[longest]!.lastEventAtMs) longest = place;
    }
    return longest;
  }

  /** Like `splice`, without allocating a list of what was removed. */
  #takeOut(place: number): void {
    const [all, told] = [this.#all, this.#told];
    for (let at = place + 1; at < all.length; at++) all[at - 1] = all[at]!;
    for (let at = (place + 1) * toldEach; at < told.length; at++) told[at - toldEach] = told[at]!;
    all.pop();
    told.length -= toldEach;
  }
}
