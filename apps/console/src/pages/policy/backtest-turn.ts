import type { QueryClient } from '@tanstack/react-query';
import { type RefObject, useMemo, useRef, useState } from 'react';
import { call } from '../../api/call.ts';

/** A backtest that was asked to end is asked so often whether it has. */
const askEveryMs = 500;
/** Longer than it takes to end one: 20 seconds. Then whoever waits hears of the service what is in the way. */
const asksMax = 40;

/** One backtest runs at a time in the whole service: the try beside the text gives way to the one that is asked for. */
export interface BacktestTurn {
  /** Somebody looks at a backtest that was asked for: the try beside the text ends, and waits. */
  readonly isTaken: boolean;
  readonly take: () => void;
  readonly giveBack: () => void;
  /** Resolves once no backtest runs any more that this page has left. Never rejects. */
  readonly left: RefObject<Promise<unknown>>;
}

export function useBacktestTurn(): BacktestTurn {
  const [isTaken, setTaken] = useState(false);
  const left = useRef<Promise<unknown>>(Promise.resolve());
  return useMemo(() => ({ isTaken, take: () => setTaken(true), giveBack: () => setTaken(false), left }), [isTaken]);
}

/** Ends a backtest that nobody waits for any more. Resolves once it has ended, or cannot be asked about. */
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
    // Whoever begins the next one hears of the same.
  }
}

/** Whether it is under way as far as this page knows. */
export function isUnderWay(client: QueryClient, workspace: string, id: number): boolean {
  const params = { workspace, backtest: id };
  const state = client.getQueryData<{ readonly state: string }>(['readBacktest', { params }])?.state ?? 'running';
  return state === 'running';
}
