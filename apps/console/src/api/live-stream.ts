import { ApiProblem } from './api-problem.ts';
import { call } from './call.ts';
import { operations } from './operations.generated.ts';

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

/** Four times what lies between two numbers: who hears nothing for so long hears nobody. */
const silentMs = 20_000;

/** How the workspace is, told every five seconds. */
export interface LiveNumbers {
  /** Events that are not decided yet, and for how long. */
  readonly behind: number;
  readonly lagMs: number;
  /** Nothing is sent to the bank. */
  readonly paused: boolean;
  /** Why nothing is decided: this release refuses the policy in force. */
  readonly refusedPolicy?: string;
}

export interface Hearing {
  readonly hear: (event: LiveEvent) => void;
  readonly state: (state: LiveState) => void;
  readonly numbers: (numbers: LiveNumbers) => void;
  /** The session has ended. */
  readonly end: () => void;
}

/** Opens the stream of a workspace. @returns a function that ends it */
export function openStream(workspace: string, { hear, state, numbers, end }: Hearing): () => void {
  const path = operations.followWorkspace[1].replace('{workspace}', encodeURIComponent(workspace));
  let source: EventSource;
  let timer: number | undefined;
  let silence: number | undefined;
  const hearAll = (): void => liveEvents.forEach(hear);
  // A connection that nobody ends, as after a change of the network, is one to the browser for a quarter of an hour.
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
      // What happened between the last answers and the first moment of a stream was told to nobody.
      if (!wasLive) hearAll();
      wasLive = true;
      waitForNumbers();
      state('live');
    });
    source.addEventListener('error', () => {
      if (source.readyState !== EventSource.CLOSED) return state('broken');
      state('refused');
      window.clearTimeout(silence);
      // The browser does not say why. When it is the session, nobody should wait here.
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
