/** The thread that answers one long query. Started by `Inquiries`. */
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { assert, Problem } from '@ringfence/contract';
import { type ThreadGround, type ThreadWorkspace, workInThread } from '../backtests/workspace-in-thread.ts';
import { redecide } from './redecide.ts';
import type { Heard, Query } from './query.ts';
import { searchLog } from './search-log.ts';
import { testPolicy } from './test-policy.ts';

/** What the main thread passes to this one. */
export interface QueryThreadSettings extends ThreadWorkspace {
  readonly inquiry: Query;
}

/** One for cached state, one for reading, one for keys. */
const connectionsMax = 3;
/** Interval of progress messages: a person sees it move. */
const tellEveryMs = 300;

assert(parentPort !== null, 'a query runs in a worker thread');
const port = parentPort;
// Of this thread alone, where the system supports it: serving requests has priority. A person waits for the answer, so
// the priority is not the lowest one, which backtests have.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const settings = workerData as QueryThreadSettings;
const { inquiry } = settings;
await workInThread(settings, connectionsMax, async (ground) => {
  try {
    await answer(ground);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    tell({ kind: 'failed', code: error.code, detail: error.detail });
  }
});

async function answer({ workspace, ...deps }: ThreadGround): Promise<void> {
  if (inquiry.kind === 'testPolicy') {
    tell({ kind: 'tested', tested: testPolicy(inquiry.files) });
    return;
  }
  const isTime = sometimes();
  if (inquiry.kind === 'decideThen') {
    const decided = await redecide(deps, { workspace, asked: inquiry.asked }, (done, total) => {
      if (isTime()) tell({ kind: 'progress', done, total });
    });
    tell({ kind: 'decided', decided });
    return;
  }
  const { found, notes } = await searchLog(
    deps,
    { workspace, wanted: inquiry.wanted },
    {
      onProgress: (done, total, foundSoFar) => {
        if (!isTime()) return;
        tell({ kind: 'progress', done, total });
        tell({ kind: 'found', found: foundSoFar() });
      },
    },
  );
  tell({ kind: 'searched', found, notes });
}

/** Returns true at intervals. */
function sometimes(): () => boolean {
  let lastMs = 0;
  return () => {
    const nowMs = Date.now();
    if (nowMs - lastMs < tellEveryMs) return false;
    lastMs = nowMs;
    return true;
  };
}

function tell(heard: Heard): void {
  port.postMessage(heard);
}
