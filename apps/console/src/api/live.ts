import { createContext, useContext, useEffect, useRef, useState } from 'react';
import type { LiveEvent, LiveNumbers, LiveState } from './live-stream.ts';
import { paced } from './paced.ts';
import { followShared } from './shared-stream.ts';

type Listener = (event: LiveEvent) => void;

interface Live {
  readonly state: LiveState;
  /** Absent until they were told. */
  readonly numbers: LiveNumbers | undefined;
  /** @returns a function that ends it */
  readonly subscribe: (listener: Listener) => () => void;
}

export const LiveContext = createContext<Live>({
  state: 'connecting',
  numbers: undefined,
  subscribe: () => () => undefined,
});

/** Follows a workspace, anew with each session. To be called once for all of its pages. */
export function useFollowing(workspace: string, session: string): Live {
  const [state, setState] = useState<LiveState>('connecting');
  const [numbers, setNumbers] = useState<LiveNumbers>();
  const listeners = useRef(new Set<Listener>());
  const [subscribe] = useState(() => (listener: Listener) => {
    listeners.current.add(listener);
    return () => listeners.current.delete(listener);
  });
  useEffect(() => {
    setState('connecting');
    setNumbers(undefined);
    const hear: Listener = (event) => {
      for (const listener of listeners.current) listener(event);
    };
    return followShared(workspace, { hear, state: setState, numbers: setNumbers });
  }, [workspace, session]);
  return { state, numbers, subscribe };
}

export function useLive(): Live {
  return useContext(LiveContext);
}

/** After a question: a burst of alerts is many events, and one list. */
export const restMs = 1_000;

/**
 * Asks when one of these events comes, and when some may have been missed. A burst of them asks at once, and once more
 * after it; a page that nobody sees asks when it is seen again.
 *
 * @returns how often to ask without events: `everyMs` while there is no stream, for `refetchInterval`
 */
export function useHearing(events: readonly LiveEvent[], everyMs: number, ask: () => Promise<unknown>): number | false {
  const { state, subscribe } = useContext(LiveContext);
  const current = useRef({ events, ask });
  current.current = { events, ask };
  useEffect(() => {
    let isLeft = false;
    const hear = paced(
      async () => {
        await untilSeen();
        if (!isLeft) await current.current.ask();
      },
      () => rest(restMs),
    );
    const end = subscribe((event) => {
      if (current.current.events.includes(event)) hear();
    });
    return () => {
      isLeft = true;
      end();
    };
  }, [subscribe]);
  return state === 'refused' ? everyMs : false;
}

export function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function untilSeen(): Promise<void> {
  if (document.hidden)
    await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }));
}
