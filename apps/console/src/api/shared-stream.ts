/**
 * One stream for all tabs: a browser opens six connections per host, so a seventh tab would wait forever.
 *
 *   tab --waits for the lock--> leader: holds the stream and forwards events to the other tabs
 *    |                              | closed or crashed
 *    '--- receives forwarded events '--> the next tab in the queue opens its own stream
 */
import { type Hearing, type LiveEvent, type LiveNumbers, type LiveState, openStream } from './live-stream.ts';
import { sessionEnded } from './session.ts';

/** Messages between tabs. */
type Told =
  | { readonly kind: 'event'; readonly event: LiveEvent }
  | { readonly kind: 'state'; readonly state: LiveState }
  | { readonly kind: 'numbers'; readonly numbers: LiveNumbers }
  | { readonly kind: 'end' }
  /** A new tab requests the current state. */
  | { readonly kind: 'hello' };

/** Follows a workspace through the stream of this tab or of another. @returns a function that stops it */
export function followShared(workspace: string, hearing: Omit<Hearing, 'end'>): () => void {
  const name = `ringfence live ${workspace}`;
  const channel = new BroadcastChannel(name);
  const gone = new AbortController();
  let follows = false;
  /** The latest state, for tabs that open later. */
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
    // Closed before this tab got the lock.
    .catch((error: unknown) => {
      if (!gone.signal.aborted) throw error;
    });
  return () => {
    gone.abort();
    channel.close();
  };
}
