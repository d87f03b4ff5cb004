import { type Query, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useRef, useState } from 'react';
import { ApiProblem } from './api-problem.ts';
import type { LiveEvent, LiveNumbers, LiveState } from './live-stream.ts';
import { paced } from './paced.ts';
import { followShared } from './shared-stream.ts';

type Listener = (event: LiveEvent) => void;

interface Live {
  readonly state: LiveState;
  /** Absent until first received. */
  readonly numbers: LiveNumbers | undefined;
  /** @returns a function that stops it */
  readonly subscribe: (listener: Listener) => () => void;
}

export const LiveContext = createContext<Live>({
  state: 'connecting',
  numbers: undefined,
  subscribe: () => () => undefined,
});

/** Follows a workspace, and reconnects with each session. Call once for all of its pages. */
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
  useRetried(numbers);
  return { state, numbers, subscribe };
}

/** Numbers show that the service is there: what could not be reached is requested again. */
function useRetried(numbers: LiveNumbers | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (numbers === undefined) return;
    const isUnreached = ({ state: { error } }: Query): boolean => error instanceof ApiProblem && error.status === 0;
    void client.refetchQueries({ type: 'active', predicate: isUnreached });
  }, [numbers, client]);
}

export function useLive(): Live {
  return useContext(LiveContext);
}

/** Open alerts, as short as a badge: `12`, or `3/12` if three of them are the user's. Absent while no alert is open. */
export function useOpenAlerts(): string | undefined {
  const { open, mine } = useLive().numbers?.alerts ?? { open: 0, mine: 0 };
  if (open === 0) return undefined;
  return mine === 0 ? String(open) : `${mine}/${open}`;
}

/** Pause after a request: a burst of alerts is many events but one list. */
export const restMs = 1_000;

/**
 * Refetches when one of these events arrives, and when some may have been missed. A burst causes one request
 * immediately and one more after it; a hidden page refetches when it becomes visible.
 *
 * @returns polling interval for `refetchInterval`: `everyMs` while there is no stream
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
