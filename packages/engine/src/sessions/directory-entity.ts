import type { SubjectId } from '../record.ts';

/** A client who has logged in under a session's name, and until when that session can live at most. */
export interface Holder {
  readonly subject: SubjectId;
  readonly untilMs: number;
}

/**
 * Who logged in last under a session's name: tells an operation with another client's session from one without any.
 * Kept as long as that session can live, whether it has been closed before or not. Only the last client is known, so
 * that a login writes it without having to know what was there.
 */
export class DirectoryEntity {
  readonly kind = 'directory';
  readonly session: string;
  changedIn = 0;
  changedPlace = 0;
  nameHash = 0;
  place = 0;
  touched = false;
  /** `undefined` for nobody. */
  holder: Holder | undefined;

  constructor(session: string, holder?: Holder) {
    this.session = session;
    this.holder = holder;
  }

  isOfAnother(subject: SubjectId | undefined, nowMs: number): boolean {
    return this.holder !== undefined && this.holder.subject !== subject && nowMs < this.holder.untilMs;
  }
}
