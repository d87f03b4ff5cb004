import type { Caller } from '../../access/accounts/caller.ts';
import type { EventStream } from '../../console/live/event-stream.ts';
import type { Deed } from './note-audit.ts';

/** What an operation says of itself: what it was done to, before and after; who did it, where the request could not say. */
export type NotedDeed = Partial<Pick<Deed, 'target' | 'actor' | 'detail'>>;

/** What an operation may see of its request beside what it says, and add to its answer. */
export interface Exchange {
  readonly caller: Caller;
  /** Where the request comes from. */
  readonly address: string;
  /** What the browser calls itself; "" when it does not. */
  readonly agent: string;
  /** Of the session that the browser has, whether or not it still lasts. */
  readonly sessionToken: string | undefined;
  readonly requestId: string;
  /** The last of its events that a page has seen, when it comes back to a stream. */
  readonly lastEventId: number | undefined;
  /** Begins the answer of an operation whose answer is a stream. */
  openStream(): EventStream;
  /** Answers with a file of these lines. Resolves when it is sent, or the browser has gone. */
  sendFile(name: string, lines: AsyncIterable<string>): Promise<void>;
  setCookie(cookie: string): void;
  /** Says more of what is done, for the audit log: nothing personal, and no secret. */
  note(deed: NotedDeed): void;
}
