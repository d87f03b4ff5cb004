import { assert } from '@ringfence/contract';
import { endedSessionsMax, sessionsMax } from '../limits.ts';
import type { ChannelSettings } from '../record.ts';

/**
 * A session of one client in one channel, from the login that opened it. Immutable.
 *
 * ```
 *            login (same id: refreshes)          time: idle, absolute
 *               ┌───┐                          ┌──────────────────────▶ expired ─┐
 *  (none) ──login──▶ active ── operation ──▶ active                               ├─ login ─▶ active, a new life
 *                                              └── logout, executed action 2 ▶ closed ─┘
 * ```
 *
 * Expiry is never an event: it is read off `expiresAtMs`, which every activity sets anew under the settings of its time.
 */
export interface Session {
  readonly channelId: number;
  /** "" is the unnamed session of (channel, client). */
  readonly id: string;
  readonly openedAtMs: number;
  /** Offset of the login that opened it: tells its lives apart. */
  readonly openedOffset: number;
  /** The last login; absolute expiry counts from it. */
  readonly loginAtMs: number;
  readonly lastEventAtMs: number;
  readonly expiresAtMs: number;
  readonly expiresBy: 'idle' | 'absolute';
  readonly closed: { readonly atMs: number; readonly by: 'logout' | 'action' } | undefined;
  readonly logins: number;
  readonly operations: number;
  /** `publicIp` of the login that opened it. */
  readonly ip: string;
  readonly ipChanged: boolean;
}

/** `none`: no such session is remembered. The last four say what ended it. */
export type SessionState = 'none' | 'active' | 'logout' | 'action' | 'idle' | 'absolute';

/** A session is expired at the instant `expiresAtMs`, not only after it. */
export function sessionState(session: Session | undefined, nowMs: number): SessionState {
  if (session === undefined) return 'none';
  if (session.closed !== undefined) return session.closed.by;
  return nowMs < session.expiresAtMs ? 'active' : session.expiresBy;
}

/** When a session ended that is not active. */
export function endedAtMs(session: Session): number {
  return session.closed?.atMs ?? session.expiresAtMs;
}

interface LoginAt {
  readonly channelId: number;
  readonly id: string;
  readonly ip: string;
  readonly offset: number;
  readonly nowMs: number;
}

/** The session after a login: `before` refreshed while it is active, else a new life. */
export function loggedIn(before: Session | undefined, login: LoginAt, settings: ChannelSettings): Session {
  const { channelId, id, ip, offset, nowMs } = login;
  const { expiresAtMs, expiresBy } = expiryOf(nowMs, nowMs, settings);
  if (before !== undefined && sessionState(before, nowMs) === 'active') {
    return {
      ...before,
      expiresAtMs,
      expiresBy,
      loginAtMs: nowMs,
      lastEventAtMs: nowMs,
      logins: before.logins + 1,
      ipChanged: before.ipChanged || ip !== before.ip,
    };
  }
  return {
    channelId,
    id,
    openedAtMs: nowMs,
    openedOffset: offset,
    loginAtMs: nowMs,
    lastEventAtMs: nowMs,
    expiresAtMs,
    expiresBy,
    closed: undefined,
    logins: 1,
    operations: 0,
    ip,
    ipChanged: false,
  };
}

/** The session after an operation that belongs to it. One that comes late, after the logout, leaves it closed. */
export function operated(before: Session, nowMs: number, settings: ChannelSettings): Session {
  const { expiresAtMs, expiresBy } = expiryOf(before.loginAtMs, nowMs, settings);
  return {
    ...before,
    expiresAtMs,
    expiresBy,
    lastEventAtMs: Math.max(before.lastEventAtMs, nowMs),
    operations: before.operations + 1,
  };
}

/** The session after its logout. @throws InvariantError when it is not active */
export function loggedOut(before: Session, nowMs: number, ip: string | undefined): Session {
  assert(sessionState(before, nowMs) === 'active', 'only an active session is closed');
  return {
    ...before,
    lastEventAtMs: nowMs,
    closed: { atMs: nowMs, by: 'logout' },
    ipChanged: before.ipChanged || (ip !== undefined && ip !== before.ip),
  };
}

function withoutLongestEnded(sessions: readonly Session[], ended: readonly Session[]): readonly Session[] {
  let longest = ended[0]!;
  for (const session of ended) if (endedAtMs(session) < endedAtMs(longest)) longest = session;
  return sessions.filter((session) => session !== longest);
}

function expiryOf(
  loginAtMs: number,
  nowMs: number,
  settings: ChannelSettings,
): Pick<Session, 'expiresAtMs' | 'expiresBy'> {
  const idleAtMs = nowMs + settings.idleMs;
  const absoluteAtMs = loginAtMs + settings.absoluteMs;
  return idleAtMs < absoluteAtMs
    ? { expiresAtMs: idleAtMs, expiresBy: 'idle' }
    : { expiresAtMs: absoluteAtMs, expiresBy: 'absolute' };
}

export function findSession(sessions: readonly Session[], channelId: number, id: string): Session | undefined {
  return sessions[placeOf(sessions, channelId, id)];
}

/** The list with this session in its place; a new one comes last. Beyond the bounds the longest ended are forgotten. */
export function withSession(sessions: readonly Session[], session: Session, nowMs: number): readonly Session[] {
  const place = placeOf(sessions, session.channelId, session.id);
  return place === -1 ? bounded([...sessions, session], nowMs) : sessions.with(place, session);
}

function placeOf(sessions: readonly Session[], channelId: number, id: string): number {
  for (let place = 0; place < sessions.length; place++) {
    const session = sessions[place]!;
    if (session.channelId === channelId && session.id === id) return place;
  }
  return -1;
}

function bounded(sessions: readonly Session[], nowMs: number): readonly Session[] {
  if (sessions.length <= endedSessionsMax) return sessions;
  const ended = sessions.filter((session) => sessionState(session, nowMs) !== 'active');
  const excess = Math.max(ended.length - endedSessionsMax, sessions.length - sessionsMax);
  if (excess <= 0) return sessions;
  if (excess === 1 && ended.length > 0) return withoutLongestEnded(sessions, ended);
  // Ended ones go first, the longest ended before; then those that nobody has used for the longest time.
  const active = sessions.filter((session) => sessionState(session, nowMs) === 'active');
  const leaving = [
    ...ended.toSorted((a, b) => endedAtMs(a) - endedAtMs(b)),
    ...active.toSorted((a, b) => a.lastEventAtMs - b.lastEventAtMs),
  ];
  const dropped = new Set(leaving.slice(0, excess));
  return sessions.filter((session) => !dropped.has(session));
}
