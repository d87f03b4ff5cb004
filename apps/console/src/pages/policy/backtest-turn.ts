import type { QueryClient } from '@tanstack/react-query';
import { type RefObject, useMemo, useRef, useState } from 'react';
import { call } from '../../api/call.ts';

/** Interval for checking whether a cancelled backtest has ended. */
const askEveryMs = 500;
/** A minute: longer than a cancellation takes on a busy machine. Then the next start reports the conflict of the service. */
const asksMax = 120;

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

/** Cancels an abandoned backtest. Resolves once it has ended, or its state cannot be read. */
export async function endBacktest(workspace: string, id: number): Promise<void> {
  const params = { workspace, backtest: id };
  try {
    await call('cancelBacktest', { params });
    for (let asks = 0; asks < asksMax; asks++) {
      const { state } = await call('readBacktest', { params }, { background: true });
      if (state !== 'running') return;
      await new Promise((resolve) => setTimeout(resolve, askEveryMs));
    }
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
