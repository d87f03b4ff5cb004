/** The thread that answers one long query. Started by `Queries`. */
import { Problem } from '@ringfence/contract';
import { enterThread } from '../../platform/thread.ts';
import { type ThreadGround, type ThreadWorkspace, workInThread } from '../in-thread.ts';
import { redecide } from './redecide.ts';
import type { Heard, Query } from './query.ts';
import { searchLog } from './search-log.ts';

/** What the main thread passes to this one. */
export interface QueryThreadSettings extends ThreadWorkspace {
  readonly inquiry: Query;
}

/** One for cached state, one for reading, one for keys. */
const connectionsMax = 3;
/** Interval of progress messages: a person sees it move. */
const tellEveryMs = 300;

const entered = enterThread('waitedFor');
const settings = entered.settings as QueryThreadSettings;
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
  entered.port.postMessage(heard);
}
