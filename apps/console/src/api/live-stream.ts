import { ApiProblem } from './api-problem.ts';
import { call } from './call.ts';
import { operations } from './operations.generated.ts';

/**
 * Server-sent events of a workspace while its pages are open.
 *
 *   connecting --> live <--> broken     the browser reconnects with the last event id that it received
 *        |           |
 *        '-----------'----> refused     pages poll instead; the stream is retried periodically
 */
export type LiveState = 'connecting' | 'live' | 'broken' | 'refused';

const liveEvents = ['moved', 'decision', 'action', 'alert', 'hold'] as const;
export type LiveEvent = (typeof liveEvents)[number];

/** Delay before a refused stream is retried. */
const againMs = 30_000;

/** Four times the interval of the numbers: after this silence the connection is considered dead. */
const silentMs = 20_000;

/** State of the workspace, sent every five seconds. */
export interface LiveNumbers {
  /** Open alerts: all, those that the user has claimed, and when the newest was opened. */
  readonly alerts: { readonly open: number; readonly mine: number; readonly newestAt?: string };
  /** Undecided events, and the age of the oldest. */
  readonly behind: number;
  readonly lagMs: number;
  /** Whether sending to the bank is paused. */
  readonly paused: boolean;
  /** Set if this release refuses the active policy, so that nothing is decided. */
  readonly refusedPolicy?: string;
}

export interface Hearing {
  readonly hear: (event: LiveEvent) => void;
  readonly state: (state: LiveState) => void;
  readonly numbers: (numbers: LiveNumbers) => void;
  /** The session has ended. */
  readonly end: () => void;
}

/** Opens the stream of a workspace. @returns a function that closes it */
export function openStream(workspace: string, { hear, state, numbers, end }: Hearing): () => void {
  const path = operations.followWorkspace[1].replace('{workspace}', encodeURIComponent(workspace));
  let source: EventSource;
  let timer: number | undefined;
  let silence: number | undefined;
  const hearAll = (): void => liveEvents.forEach(hear);
  // The browser can take a quarter of an hour to notice a dead connection, for example after a change of network.
  const waitForNumbers = (): void => {
    window.clearTimeout(silence);
    silence = window.setTimeout(() => {
      source.close();
      state('broken');
      open();
    }, silentMs);
  };
  const open = (): void => {
    let wasLive = false;
    source = new EventSource(path);
    waitForNumbers();
    source.addEventListener('open', () => {
      // Events between the last answers and the start of a stream were not received.
      if (!wasLive) hearAll();
      wasLive = true;
      waitForNumbers();
      state('live');
    });
    source.addEventListener('error', () => {
      if (source.readyState !== EventSource.CLOSED) return state('broken');
      state('refused');
      window.clearTimeout(silence);
      // The browser hides the reason. An expired session must be detected here.
      void isSessionOver().then((isOver) => isOver && end());
      timer = window.setTimeout(open, againMs);
    });
    for (const event of liveEvents) source.addEventListener(event, () => hear(event));
    source.addEventListener('numbers', ({ data }) => {
      waitForNumbers();
      numbers(JSON.parse(data as string) as LiveNumbers);
    });
    source.addEventListener('gap', hearAll);
    source.addEventListener('end', () => {
      window.clearTimeout(silence);
      source.close();
      end();
    });
  };
  open();
  return () => {
    window.clearTimeout(timer);
    window.clearTimeout(silence);
    source.close();
  };
}

async function isSessionOver(): Promise<boolean> {
  try {
    await call('readSession', {}, { background: true });
    return false;
  } catch (problem) {
    return problem instanceof ApiProblem && problem.code === 'session.missing';
  }
}
