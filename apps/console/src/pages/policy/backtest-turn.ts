import type { QueryClient } from '@tanstack/react-query';
import { type RefObject, useMemo, useRef, useState } from 'react';
import { call } from '../../api/call.ts';

/** The service runs one backtest at a time: the automatic one of the draft yields to a requested one. */
export interface BacktestTurn {
  /** A requested backtest is open: the automatic one is cancelled and waits. */
  readonly isTaken: boolean;
  readonly take: () => void;
  readonly giveBack: () => void;
  /** Resolves once every backtest that this page abandoned has ended. Never rejects. */
  readonly left: RefObject<Promise<unknown>>;
}

export function useBacktestTurn(): BacktestTurn {
  const [isTaken, setTaken] = useState(false);
  const left = useRef<Promise<unknown>>(Promise.resolve());
  return useMemo(() => ({ isTaken, take: () => setTaken(true), giveBack: () => setTaken(false), left }), [isTaken]);
}

/** Cancels an abandoned backtest, even one of a page that is being left. Never rejects. */
export async function endBacktest(workspace: string, id: number): Promise<void> {
  try {
    await call('cancelBacktest', { params: { workspace, backtest: id } }, { keepalive: true });
  } catch {
    // The start of the next one reports the same error.
  }
}

/** Whether it is running, as far as this page knows. */
export function isUnderWay(client: QueryClient, workspace: string, id: number): boolean {
  const params = { workspace, backtest: id };
  const state = client.getQueryData<{ readonly state: string }>(['readBacktest', { params }])?.state ?? 'running';
  return state === 'running';
}
