/**
 * One stream for all tabs of a browser: to one host it opens six connections, and a seventh tab would wait for ever.
 *
 *   tab --waits for the lock--> the one that follows: holds the stream, and tells the other tabs
 *    |                              | closed, or gone
 *    '--- hears what it is told     '--> the next in line opens a stream of its own
 */
import { type Hearing, type LiveEvent, type LiveNumbers, type LiveState, openStream } from './live-stream.ts';
import { sessionEnded } from './session.ts';

/** What tabs tell each other. */
type Told =
  | { readonly kind: 'event'; readonly event: LiveEvent }
  | { readonly kind: 'state'; readonly state: LiveState }
  | { readonly kind: 'numbers'; readonly numbers: LiveNumbers }
  | { readonly kind: 'end' }
  /** A tab was opened, and wants to know how it is. */
  | { readonly kind: 'hello' };

/** Follows a workspace, by a stream of this tab or by that of another. @returns a function that ends it */
export function followShared(workspace: string, hearing: Omit<Hearing, 'end'>): () => void {
  const name = `ringfence live ${workspace}`;
  const channel = new BroadcastChannel(name);
  const gone = new AbortController();
  let follows = false;
  /** As it was told last, for tabs that open later. */
  let state: LiveState = 'connecting';
  let numbers: LiveNumbers | undefined;
  const say = (told: Told): void => channel.postMessage(told);

  const hear = (told: Told): void => {
    if (told.kind === 'event') hearing.hear(told.event);
    else if (told.kind === 'state') hearing.state((state = told.state));
    else if (told.kind === 'numbers') hearing.numbers((numbers = told.numbers));
    else if (told.kind === 'end') sessionEnded();
  };
  const tellAll = (told: Told): void => {
    hear(told);
    if (!gone.signal.aborted) say(told);
  };
  channel.addEventListener('message', ({ data }) => {
    const told = data as Told;
    if (told.kind !== 'hello') return hear(told);
    if (!follows) return;
    say({ kind: 'state', state });
    if (numbers !== undefined) say({ kind: 'numbers', numbers });
  });
  say({ kind: 'hello' });

  void navigator.locks
    .request(name, { signal: gone.signal }, async () => {
      follows = true;
      const end = openStream(workspace, {
        hear: (event) => tellAll({ kind: 'event', event }),
        state: (now) => tellAll({ kind: 'state', state: now }),
        numbers: (now) => tellAll({ kind: 'numbers', numbers: now }),
        end: () => tellAll({ kind: 'end' }),
      });
      await new Promise((resolve) => gone.signal.addEventListener('abort', resolve));
      end();
    })
    // Left before it was this tab's turn.
    .catch((error: unknown) => {
      if (!gone.signal.aborted) throw error;
    });
  return () => {
    gone.abort();
    channel.close();
  };
}
