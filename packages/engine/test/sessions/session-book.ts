/**
 * A naive model of sessions: every login and logout is recorded for ever, and each query reads all records again. It
 * has no bounded lists, no stored states, and no directory of session names.
 */
export interface BookSettings {
  readonly graceMs: number;
  readonly idleMs: number;
  readonly absoluteMs: number;
}

interface Entry {
  readonly atMs: number;
  readonly kind: 'login' | 'logout' | 'activity';
}

export type BookAnswer = 'matched' | 'closed' | 'expired' | 'none';

export class SessionBook {
  readonly #settings: BookSettings;
  readonly #entries = new Map<string, Entry[]>();

  constructor(settings: BookSettings) {
    this.#settings = settings;
  }

  write(session: string, entry: Entry): void {
    this.#entries.set(session, [...(this.#entries.get(session) ?? []), entry]);
  }

  /** How an operation at `nowMs`, dated `statedMs`, relates to the session. */
  ask(session: string, nowMs: number, statedMs: number): BookAnswer {
    let openSince: { loginMs: number; activeMs: number } | undefined;
    let ended: { by: 'logout' | 'expiry'; atMs: number } | undefined;
    const { graceMs, idleMs, absoluteMs } = this.#settings;
    const expireUntil = (atMs: number): void => {
      if (openSince === undefined) return;
      const endMs = Math.min(openSince.activeMs + idleMs, openSince.loginMs + absoluteMs);
      if (atMs < endMs) return;
      ended = { by: 'expiry', atMs: endMs };
      openSince = undefined;
    };
    for (const { atMs, kind } of this.#entries.get(session) ?? []) {
      expireUntil(atMs);
      if (kind === 'login') openSince = { loginMs: atMs, activeMs: atMs };
      else if (openSince === undefined) continue;
      else if (kind === 'activity') openSince.activeMs = atMs;
      else {
        ended = { by: 'logout', atMs };
        openSince = undefined;
      }
    }
    expireUntil(nowMs);
    if (openSince !== undefined) return 'matched';
    if (ended === undefined) return 'none';
    if (ended.by === 'expiry') return 'expired';
    return nowMs < ended.atMs + graceMs && statedMs <= ended.atMs ? 'matched' : 'closed';
  }
}
