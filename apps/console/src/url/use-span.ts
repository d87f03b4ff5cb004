import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { spanOf } from './time-range.ts';

/** The time range as instants for a query; recomputed when the range changes. */
export function useSpan(): { readonly from: string; readonly to?: string } {
  const { range, from, to } = useSearch({ from: '/w/$workspace' });
  return useMemo(
    () =>
      spanOf(
        {
          ...(range === undefined ? {} : { range }),
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
        },
        Date.now(),
      ),
    [range, from, to],
  );
}
