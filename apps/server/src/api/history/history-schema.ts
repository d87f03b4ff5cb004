import { Type } from 'typebox';
import { exactly, text } from '../../platform/shapes/shape.ts';
import type { Segment } from '../../history/segments.ts';
import { count, instant, inWorkspace, list, nonPersonalWord } from '../server/members.ts';

export const inHistory = exactly({
  ...inWorkspace.properties,
  history: text({ maxLength: 64, description: 'Its name.', expected: 'the name of a history' }),
});

export const historySchema = Type.Object(
  {
    name: nonPersonalWord('Its name.', '2026'),
    source: list(nonPersonalWord('A file.', 'payments.csv.gz'), 'Names of the files that it was imported from.'),
    author: nonPersonalWord('Who imported it.', 'mara'),
    importedAt: instant('When.'),
    from: instant('When its first event happened.', '2026-01-01T06:00:03.000Z'),
    to: instant('When its last event happened.', '2026-11-20T05:59:58.000Z'),
    events: count('Events in it.', 1_754_155),
    logins: count('Logins.', 0),
    logouts: count('Logouts.', 0),
    operations: count('Operations.', 1_754_155),
    fraud: count('Events labelled fraud.', 14_681),
    legitimate: count('Events labelled legitimate.', 1_739_474),
    leftOut: count('Lines of the files that were not imported as events.', 12),
  },
  { title: 'History' },
);

export function printHistory(segment: Segment): Type.Static<typeof historySchema> {
  const { name, source, author, madeAtMs, fromMs, toMs, events, totals } = segment;
  return {
    name,
    source,
    author,
    importedAt: new Date(madeAtMs).toISOString(),
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    events,
    ...totals,
  };
}
