import type { Caller } from '../../access/caller.ts';
import type { AuditAction } from '../../access/audit/audited-change.ts';
import type { EventStream } from '../../console/live/event-stream.ts';

/**
 * What an operation adds to its audit entry: the target, values before and after, and the actor if the request does not
 * identify one.
 */
export type AuditedAction = Partial<Pick<AuditAction, 'target' | 'actor' | 'detail'>>;

/** What an operation may read of its request besides its validated input, and add to its answer. */
export interface RequestContext {
  readonly caller: Caller;
  /** IP address of the sender. */
  readonly address: string;
  /** User-Agent of the browser; "" if it sends none. */
  readonly agent: string;
  /** Content of the browser's device cookie, not checked. */
  readonly device: string | undefined;
  /** Token of the browser's session cookie, whether or not the session is still valid. */
  readonly sessionToken: string | undefined;
  readonly requestId: string;
  /** Aborted when the client closes the connection before its answer. */
  readonly signal: AbortSignal;
  /** As it was sent: not checked. */
  readonly idempotencyKey: string | readonly string[] | undefined;
  /** The last event id that the page received, when it reconnects to a stream. */
  readonly lastEventId: number | undefined;
  /** Begins the answer of an operation that answers with a stream. */
  openStream(): EventStream;
  /** Answers with a file of these lines. Resolves when it is sent, or the browser has disconnected. */
  sendFile(name: string, lines: AsyncIterable<string>): Promise<void>;
  /** Says that the answer is the one of an earlier request with the same `Idempotency-Key`. */
  markReplayed(): void;
  setCookie(cookie: string): void;
  /** Answers with personal data in clear: it was decided that the caller may see it. */
  showPersonal(): void;
  /** Adds details to the audit entry: no personal data and no secrets. */
  note(what: AuditedAction): void;
}
