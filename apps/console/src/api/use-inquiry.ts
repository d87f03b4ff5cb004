import { useCallback, useEffect, useRef, useState } from 'react';
import type { ApiProblem } from './api-problem.ts';
import type { InquiryProgress } from './operations.generated.ts';

export interface Inquiry<Found> {
  readonly isRunning: boolean;
  readonly progress: InquiryProgress | undefined;
  /** Partial answer received so far. */
  readonly found: Found | undefined;
  readonly problem: ApiProblem | undefined;
  /** Whether it was cancelled before it completed. */
  readonly isCancelled: boolean;
}

export interface Asking<Found> {
  readonly onProgress: (progress: InquiryProgress) => void;
  readonly onFound: (found: Found) => void;
  readonly signal: AbortSignal;
}

const nothing = { isRunning: false, progress: undefined, found: undefined, problem: undefined, isCancelled: false };

/** A long-running query: started by the user, one at a time, cancelled when the page is left. */
export function useInquiry<Found>(): {
  readonly inquiry: Inquiry<Found>;
  readonly begin: (ask: (asking: Asking<Found>) => Promise<void>) => void;
  readonly cancel: () => void;
  /** Restores a cached answer, or clears it. */
  readonly recall: (found: Found | undefined) => void;
} {
  const [inquiry, setInquiry] = useState<Inquiry<Found>>(nothing);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const begin = useCallback((ask: (asking: Asking<Found>) => Promise<void>) => {
    running.current?.abort();
    const mine = new AbortController();
    running.current = mine;
    const change = (part: Partial<Inquiry<Found>>): void => {
      if (!mine.signal.aborted) setInquiry((before) => ({ ...before, ...part }));
    };
    setInquiry({ ...nothing, isRunning: true });
    ask({
      onProgress: (progress) => change({ progress }),
      onFound: (found) => change({ found }),
      signal: mine.signal,
    }).then(
      () => change({ isRunning: false }),
      (problem: ApiProblem) => change({ isRunning: false, problem }),
    );
  }, []);
  const cancel = useCallback(() => {
    running.current?.abort();
    setInquiry((before) => ({ ...before, isRunning: false, isCancelled: true }));
  }, []);
  const recall = useCallback((found: Found | undefined) => {
    running.current?.abort();
    setInquiry({ ...nothing, found });
  }, []);
  return { inquiry, begin, cancel, recall };
}
