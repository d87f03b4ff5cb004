import { useCallback, useMemo, useRef, useState } from 'react';
import { useDelayed } from '../../parts/delayed-notices.tsx';

/** As many as the service changes by one request. */
export const marksMax = 200;

/** The selected alerts of a list. */
export function useMarks(items: readonly { readonly id: string }[]) {
  const [marks, setMarks] = useState<ReadonlySet<string>>(new Set());
  const listed = useRef(items);
  listed.current = items;
  const last = useRef<string>(undefined);
  /** Selects an alert or takes it out; as a range, selects all from the one before to this one. */
  const mark = useCallback((id: string, isRange: boolean): void => {
    const ids = listed.current.map((item) => item.id);
    const [from, to] = [ids.indexOf(last.current ?? id), ids.indexOf(id)];
    const range = isRange && from !== -1 ? ids.slice(Math.min(from, to), Math.max(from, to) + 1) : [];
    last.current = id;
    setMarks((before) => {
      if (range.length > 0) return bounded([...before, ...range]);
      return before.has(id) ? new Set([...before].filter((one) => one !== id)) : bounded([...before, id]);
    });
  }, []);
  return {
    marks,
    mark,
    markAll: () => setMarks(bounded(items.map(({ id }) => id))),
    clear: () => setMarks(new Set()),
  };
}

function bounded(ids: readonly string[]): ReadonlySet<string> {
  return new Set([...new Set(ids)].slice(0, marksMax));
}

/** Alerts of changes that can still be undone: lists leave them out. */
export function useDelayedAlerts(): ReadonlySet<string> {
  const changes = useDelayed();
  return useMemo(() => new Set(changes.flatMap(({ asked }) => asked.input.body.alerts)), [changes]);
}
