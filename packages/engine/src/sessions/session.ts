import { assert, canonicalAddress } from '@ringfence/contract';
import type { CarriedFacts } from '../facts/carried-paths.ts';
import type { ChannelSettings } from '../record.ts';

/**
 * A session of one client in one channel, from the login that opened it. The effect of an event is drafted first, and
 * applied when the event is decided.
 *
 * ```
 *            login (same id: refreshes)          time: idle, absolute
 *               ┌───┐                          ┌──────────────────────▶ expired ─┐
 *  (none) ──login──▶ active ── operation ──▶ active                               ├─ login ─▶ active, a new life
 *                                              └── logout, executed action 2 ▶ closed ─┘
 * ```
 *
 * Expiry is not an event: it is derived from `endsAtMs`, which every activity updates under the settings of its time.
 */
export interface Session {
  readonly channelId: number;
  /** "" is the unnamed session of (channel, client). */
  readonly id: string;
  /** `markOf(id)`: rules out other sessions without reading their names from memory. */
  readonly mark: number;
  /** By the own time of the login; what follows runs on log time. */
  readonly openedAtMs: number;
  /** Offset of the login that opened it: identifies this life of the session. */
  readonly openedOffset: number;
  /** The last login; absolute expiry counts from it. */
  readonly loginAtMs: number;
  readonly loginOffset: number;
  readonly lastEventAtMs: number;
  /** When it ended, or will end without further activity. */
  readonly endsAtMs: number;
  readonly endsBy: SessionEnd;
  readonly logins: number;
  readonly operations: number;
  /** `publicIp` of the login that opened it. */
  readonly ip: string;
  readonly ipChanged: boolean;
  /** Device and place facts of its last login. */
  readonly carried: CarriedFacts | undefined;
}

/** What ends a session: the first two close it, the others are expiries. */
export type SessionEnd = 'logout' | 'action' | 'idle' | 'absolute';

/** `none`: no such session is remembered. */
export type SessionState = 'none' | 'active' | SessionEnd;

/** A session has ended at the instant `endsAtMs`, not only after it. `nowMs` must not be before known events. */
export function sessionState(session: Session | undefined, nowMs: number): SessionState {
  if (session === undefined) return 'none';
  return nowMs < session.endsAtMs ? 'active' : session.endsBy;
}

export function isClosed({ endsBy }: Session): boolean {
  return endsBy === 'logout' || endsBy === 'action';
}

interface LoginAt {
  readonly channelId: number;
  readonly id: string;
  readonly ip: string;
  readonly offset: number;
  readonly nowMs: number;
  /** The login's own time, if it states a plausible one. */
  readonly atMs: number;
}

/** A mutable session. */
export type SessionDraft = { -readonly [Member in keyof Session]: Session[Member] };

export function newDraft(): SessionDraft {
  return {
    channelId: 0,
    id: '',
    mark: 0,
    openedAtMs: 0,
    openedOffset: 0,
    loginAtMs: 0,
    loginOffset: 0,
    lastEventAtMs: 0,
    endsAtMs: 0,
    endsBy: 'idle',
    logins: 0,
    operations: 0,
    ip: '',
    ipChanged: false,
    carried: undefined,
  };
}

/** Copies a session into `draft`. */
export function copySession(session: Session, draft: SessionDraft): SessionDraft {
  draft.channelId = session.channelId;
  draft.id = session.id;
  draft.mark = session.mark;
  draft.openedAtMs = session.openedAtMs;
  draft.openedOffset = session.openedOffset;
  draft.loginAtMs = session.loginAtMs;
  draft.loginOffset = session.loginOffset;
  draft.lastEventAtMs = session.lastEventAtMs;
  draft.endsAtMs = session.endsAtMs;
  draft.endsBy = session.endsBy;
  draft.logins = session.logins;
  draft.operations = session.operations;
  draft.ip = session.ip;
  draft.ipChanged = session.ipChanged;
  draft.carried = session.carried;
  return draft;
}

/** When and under which settings an event affects a session, and the draft for the result. */
export interface SessionEvent {
  readonly nowMs: number;
  readonly settings: ChannelSettings;
  readonly draft: SessionDraft;
}

/** The session after a login: `before` refreshed if it is active, else a new life. */
export function loggedIn(before: Session | undefined, login: LoginAt, { settings, draft }: SessionEvent): Session {
  const { channelId, id, ip, offset, nowMs, atMs } = login;
  if (before !== undefined && sessionState(before, nowMs) === 'active') {
    copySession(before, draft);
    draft.logins++;
    draft.ipChanged = before.ipChanged || isOther(ip, before.ip);
  } else {
    draft.channelId = channelId;
    draft.id = id;
    draft.mark = markOf(id);
    draft.openedAtMs = atMs;
    draft.openedOffset = offset;
    draft.logins = 1;
    draft.operations = 0;
    draft.ip = ip;
    draft.ipChanged = false;
    draft.carried = undefined;
  }
  draft.loginAtMs = nowMs;
  draft.loginOffset = offset;
  draft.lastEventAtMs = nowMs;
  setExpiry(draft, nowMs, settings);
  return draft;
}

/** The session after an operation that belongs to it. A late operation, after the logout, does not reopen it. */
export function operated(before: Session, { nowMs, settings, draft }: SessionEvent): Session {
  copySession(before, draft);
  draft.lastEventAtMs = Math.max(before.lastEventAtMs, nowMs);
  draft.operations++;
  if (!isClosed(before)) setExpiry(draft, nowMs, settings);
  return draft;
}

/** The session after its logout. @throws InvariantError if it is not active */
export function loggedOut(before: Session, ip: string | undefined, { nowMs, draft }: SessionEvent): Session {
  assert(sessionState(before, nowMs) === 'active', 'only an active session can be closed');
  copySession(before, draft);
  draft.lastEventAtMs = nowMs;
  draft.endsAtMs = nowMs;
  draft.endsBy = 'logout';
  draft.ipChanged = before.ipChanged || (ip !== undefined && isOther(ip, before.ip));
  return draft;
}

/** Sessions that an earlier version opened have the address as it was sent. */
function isOther(ip: string, before: string): boolean {
  return ip !== before && ip !== canonicalAddress(before);
}

function setExpiry(draft: SessionDraft, nowMs: number, settings: ChannelSettings): void {
  const idleAtMs = nowMs + settings.idleMs;
  const absoluteAtMs = draft.loginAtMs + settings.absoluteMs;
  draft.endsAtMs = idleAtMs < absoluteAtMs ? idleAtMs : absoluteAtMs;
  draft.endsBy = idleAtMs < absoluteAtMs ? 'idle' : 'absolute';
}

/** Characters used for a mark. Random names differ in all characters, and sequential ones in the last. */
const markedLength = 4;

/** At most 30 bits, so that V8 stores it as a small integer, without an allocation. */
export function markOf(id: string): number {
  let mark = id.length;
  for (let at = Math.max(0, id.length - markedLength); at < id.length; at++) {
    mark = (Math.imul(mark, 31) + id.charCodeAt(at)) & 0x3fff_ffff;
  }
  return mark;
}
