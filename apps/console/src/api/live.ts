import { createContext, useContext, useEffect, useRef, useState } from 'react';
import { operations } from './operations.generated.ts';
import { sessionEnded } from './session.ts';

/**
 * What happens in a workspace, told by server-sent events while its pages are open.
 *
 *   connecting --> live <--> broken     the browser comes back by itself, with the last id that it saw
 *        |           |
 *        '-----------'----> refused     pages ask by themselves; tried again now and then
 */
export type LiveState = 'connecting' | 'live' | 'broken' | 'refused';

const liveEvents = ['moved', 'decision', 'action', 'alert'] as const;
export type LiveEvent = (typeof liveEvents)[number];

/** Between two tries of a stream that was refused. */
const againMs = 30_000;

/** How the workspace is, told every five seconds. */
export interface LiveNumbers {
  /** Events that are not decided yet, and for how long. */
  readonly behind: number;
  readonly lagMs: number;
  /** Nothing is sent to the bank. */
  readonly paused: boolean;
}

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

/** Follows a workspace. To be called once for all of its pages. */
export function useFollowing(workspace: string): Live {
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
    return follow(workspace, { hear, state: setState, numbers: setNumbers });
  }, [workspace]);
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

interface Hearing {
  readonly hear: Listener;
  readonly state: (state: LiveState) => void;
  readonly numbers: (numbers: LiveNumbers) => void;
}

/** @returns a function that ends it */
function follow(workspace: string, { hear, state, numbers }: Hearing): () => void {
  const path = operations.followWorkspace[1].replace('{workspace}', encodeURIComponent(workspace));
  let source: EventSource;
  let timer: number | undefined;
  const hearAll = (): void => liveEvents.forEach(hear);
  const open = (): void => {
    let wasLive = false;
    source = new EventSource(path);
    source.addEventListener('open', () => {
      // What happened between the last answers and the first moment of a stream was told to nobody.
      if (!wasLive) hearAll();
      wasLive = true;
      state('live');
    });
    source.addEventListener('error', () => {
      if (source.readyState !== EventSource.CLOSED) return state('broken');
      state('refused');
      timer = window.setTimeout(open, againMs);
    });
    for (const event of liveEvents) source.addEventListener(event, () => hear(event));
    source.addEventListener('numbers', ({ data }) => numbers(JSON.parse(data as string) as LiveNumbers));
    source.addEventListener('gap', hearAll);
    source.addEventListener('end', () => {
      source.close();
      sessionEnded();
    });
  };
  open();
  return () => {
    window.clearTimeout(timer);
    source.close();
  };
}
