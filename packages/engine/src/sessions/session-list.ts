import { endedSessionsMax, sessionsMax } from '../limits.ts';
import { markOf, type Session } from './session.ts';

/**
 * The sessions of one client that are remembered, a new one behind those before it. A session is an object of its own, far
 * from the others in memory: what is asked about all of them, at every login, stands here side by side.
 */
export class SessionList {
  readonly #all: Session[] = [];
  /** `mark` of each. */
  readonly #marks: number[] = [];
  /** `endsAtMs` of each. */
  readonly #ends: number[] = [];

  get all(): readonly Session[] {
    return this.#all;
  }

  get length(): number {
    return this.#all.length;
  }

  /** The newest first: it is asked for most. */
  find(channelId: number, id: string): Session | undefined {
    return this.#all[this.#placeOf(channelId, id)];
  }

  /** In place of the one with its channel and name, or as a new one. */
  put(session: Session, nowMs: number): void {
    const place = this.#placeOf(session.channelId, session.id);
    if (place < 0) {
      this.add(session, nowMs);
      return;
    }
    this.#all[place] = session;
    this.#ends[place] = session.endsAtMs;
  }

  /** One that is not here yet. Beyond the bounds the longest ended are forgotten. */
  add(session: Session, nowMs: number): void {
    this.restore(session);
    if (this.#all.length > endedSessionsMax) this.#bound(nowMs);
  }

  /** A session as it was kept, behind the others. */
  restore(session: Session): void {
    this.#all.push(session);
    this.#marks.push(session.mark);
    this.#ends.push(session.endsAtMs);
  }

  /** One that is here has changed where it is. */
  changed(session: Session): void {
    let place = this.#all.length - 1;
    while (this.#all[place] !== session) place--;
    this.#ends[place] = session.endsAtMs;
  }

  /** The same sessions, in a list that others are put into. */
  copy(): SessionList {
    const copy = new SessionList();
    for (const session of this.#all) copy.restore(session);
    return copy;
  }

  #placeOf(channelId: number, id: string): number {
    const mark = markOf(id);
    for (let place = this.#marks.length - 1; place >= 0; place--) {
      if (this.#marks[place] !== mark) continue;
      const session = this.#all[place]!;
      if (session.channelId === channelId && session.id === id) return place;
    }
    return -1;
  }

  #bound(nowMs: number): void {
    let ended: number;
    do {
      ended = 0;
      // Of those that ended at the same time the first.
      let longest = -1;
      let sinceMs = Infinity;
      for (let place = 0; place < this.#ends.length; place++) {
        const endsAtMs = this.#ends[place]!;
        if (nowMs < endsAtMs) continue;
        ended++;
        if (endsAtMs >= sinceMs) continue;
        longest = place;
        sinceMs = endsAtMs;
      }
      if (this.#isOver(ended)) {
        this.#takeOut(longest);
        ended--;
      }
    } while (this.#isOver(ended));
    while (this.#all.length > sessionsMax) this.#takeOut(this.#longestUnused());
  }

  /** Whether there are too many, so that one that has ended must go. */
  #isOver(ended: number): boolean {
    return ended > endedSessionsMax || (this.#all.length > sessionsMax && ended > 0);
  }

  /** Of equal ones the first. */
  #longestUnused(): number {
    let longest = 0;
    for (let place = 1; place < this.#all.length; place++) {
      if (this.#all[place]!.lastEventAtMs < this.#all[longest]!.lastEventAtMs) longest = place;
    }
    return longest;
  }

  /** As `splice` does, without lists of what was taken out. */
  #takeOut(place: number): void {
    const last = this.#all.length - 1;
    for (let at = place; at < last; at++) {
      this.#all[at] = this.#all[at + 1]!;
      this.#marks[at] = this.#marks[at + 1]!;
      this.#ends[at] = this.#ends[at + 1]!;
    }
    this.#all.pop();
    this.#marks.pop();
    this.#ends.pop();
  }
}
