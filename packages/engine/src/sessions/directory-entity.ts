import type { SubjectId } from '../record.ts';

/** The client that last logged in under a session's name, and the latest time at which that session can end. */
export interface Holder {
  readonly subject: SubjectId;
  readonly untilMs: number;
}

/**
 * The client that logged in last under a session's name. It distinguishes an operation with another client's session
 * from one without any login. Kept for the maximum life of the session, even if it is closed earlier. Only the last
 * client is known, so a login can write it without loading the previous one.
 */
export class DirectoryEntity {
  readonly kind = 'directory';
  readonly session: string;
  changedIn = 0;
  changedPlace = 0;
  nameHash = 0;
  place = 0;
  touched = false;
  /** `undefined` for no client. */
  holder: Holder | undefined;

  constructor(session: string, holder?: Holder) {
    this.session = session;
    this.holder = holder;
  }

  isOfAnother(subject: SubjectId | undefined, nowMs: number): boolean {
    return this.holder !== undefined && this.holder.subject !== subject && nowMs < this.holder.untilMs;
  }
}
