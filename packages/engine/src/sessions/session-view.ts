import { clientOf, type Event, sessionOf, unreachable } from '@ringfence/contract';
import type { SessionMismatch } from '../effect.ts';
import type { ChannelSettings, EngineSettings, SubjectId } from '../record.ts';
import type { DirectoryLookup } from './directory-lookup.ts';
import {
  loggedIn,
  loggedOut,
  newDraft,
  operated,
  type Session,
  type SessionDraft,
  sessionState,
  type SessionState,
} from './session.ts';
import type { SessionList } from './session-list.ts';

/** The effect of one event on its session: before and after. */
export interface SessionView {
  /** The session of the event's channel, client and name, just before the event. */
  readonly before: SessionDraft | undefined;
  readonly state: SessionState;
  /** The session after the event. Valid until the next view; an `EventFrame` outlives it, and must not refer to it. */
  readonly after: Session | undefined;
  /** Whether an operation belongs to the session; true for a login, and for a logout that closes one. */
  readonly matched: boolean;
  /** Why an operation belongs to no session. */
  readonly mismatch: SessionMismatch | undefined;
  /** Whether the channel expects its operations to belong to a session. */
  readonly required: boolean;
}

/** The current event, at the log time of its decision. */
export interface SessionQuestion {
  readonly event: Event;
  readonly subject: SubjectId | undefined;
  readonly offset: number;
  /** The event's own time, if it states a plausible one. */
  readonly statedAtMs: number | undefined;
  readonly nowMs: number;
  readonly settings: EngineSettings;
  /** Settings of the event's channel. */
  readonly channel: ChannelSettings;
  /** Look-up of the client that used a session's name. Only used when it matters. */
  readonly directory: DirectoryLookup;
}

/** The session after the current event. One instance serves all events: it is copied if the event is decided. */
const draft = newDraft();

export function viewSession(sessions: SessionList, question: SessionQuestion): SessionView {
  const { event, nowMs, channel } = question;
  const id = sessionOf(event) ?? '';
  const before = clientOf(event) === undefined ? undefined : sessions.find(event.channelId, id);
  const state = sessionState(before, nowMs);
  const at = { nowMs, settings: channel, draft };
  const view: Writable<SessionView> = {
    before,
    state,
    after: before,
    matched: false,
    mismatch: undefined,
    required: channel.sessions === 'required',
  };
  switch (event.kind) {
    case 'login': {
      const { offset, statedAtMs } = question;
      const login = { channelId: event.channelId, id, ip: event.publicIp, offset, nowMs, atMs: statedAtMs ?? nowMs };
      view.after = loggedIn(before, login, at);
      view.matched = true;
      return view;
    }
    case 'logout':
      view.matched = before !== undefined && state === 'active';
      if (before !== undefined && view.matched) view.after = loggedOut(before, event.publicIp, at);
      return view;
    case 'operation':
      view.matched = before !== undefined && belongs(before, question);
      if (before !== undefined && view.matched) view.after = operated(before, at);
      else view.mismatch = mismatchOf(sessions, id, question);
      return view;
    default:
      return unreachable(event);
  }
}

type Writable<T> = { -readonly [Member in keyof T]: T[Member] };

export function channelOf(settings: EngineSettings, channelId: number): ChannelSettings {
  return settings.channels[channelId] ?? settings.sessionDefaults;
}

/**
 * Whether the session is active, or its logout overtook the operation: the operation arrived within the grace, and is
 * dated no later.
 */
function belongs(session: Session, { nowMs, settings, statedAtMs }: SessionQuestion): boolean {
  const state = sessionState(session, nowMs);
  if (state === 'active') return true;
  if (state !== 'logout' || statedAtMs === undefined) return false;
  return nowMs < session.endsAtMs + settings.sessionGraceMs && statedAtMs <= session.endsAtMs;
}

/** The closest mismatch: a session that has ended, then the wrong channel, then another client's name. */
function mismatchOf(sessions: SessionList, id: string, question: SessionQuestion): SessionMismatch {
  const { subject, nowMs, directory, event } = question;
  const state = subject === undefined ? 'none' : sessionState(sessions.find(event.channelId, id), nowMs);
  if (state === 'logout' || state === 'action') return 'closed';
  if (state === 'idle' || state === 'absolute') return 'expired';
  const elsewhere = sessions.all.filter((session) => session.id === id);
  // All unnamed sessions have the same name, so one that has ended says nothing.
  const isKnown = (session: Session): boolean => id !== '' || sessionState(session, nowMs) === 'active';
  if (elsewhere.some(isKnown)) return 'otherChannel';
  if (id === '') return 'noLogin';
  return directory.find(id)?.isOfAnother(subject, nowMs) === true ? 'otherClient' : 'noLogin';
}
