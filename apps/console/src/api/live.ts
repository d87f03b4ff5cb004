import { createContext, useContext, useEffect, useRef, useState } from 'react';
import type { LiveEvent, LiveNumbers, LiveState } from './live-stream.ts';
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

/**
 * Calls back when one of these events comes, and when some may have been missed. @returns how often to ask without
 * them: `everyMs` while there is no stream, for `refetchInterval`
 */
export function useHearing(events: readonly LiveEvent[], everyMs: number, act: () => void): number | false {
  const { state, subscribe } = useContext(LiveContext);
  const current = useRef({ events, act });
  current.current = { events, act };
  useEffect(
    () =>
      subscribe((event) => {
        if (current.current.events.includes(event)) current.current.act();
      }),
    [subscribe],
  );
  return state === 'refused' ? everyMs : false;
}
