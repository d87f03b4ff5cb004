import { Type } from 'typebox';
import { maskEntity } from '../../access/audit/personal.ts';
import { exactly, listOf, text } from '../../platform/shapes/shape.ts';
import { newestMax, type TopKind, topKinds } from '../../backtest/queries/search-tally.ts';
import { showMember } from '../server/show-member.ts';
import { timeRange } from '../server/time-range.ts';
import { countedSchema, moneyList } from '../backtests/backtest-schema.ts';
import { eventSummarySchema } from './event-schema.ts';
import { count, instant, list, nonPersonalWord, personal, word } from '../server/members.ts';
import { progressSchema, streamProblemSchema } from '../live/stream-schema.ts';

export const conditionText = text({
  maxLength: 4_000,
  description:
    'A condition of the policy language: facts of the event, and the features, lists and score of the live policy.',
  expected: 'a condition',
});

export const eventSearchBody = exactly({
  condition: conditionText,
  ...timeRange('Received'),
  ...showMember,
});

export const eventSearchExample = { condition: 'order.amount > 10000 && device.isNew', from: '2026-11-01' };

const topSchema = (kind: TopKind) =>
  list(
    Type.Object(
      {
        value: personal(word('Masked unless shown.', 'MX'), (text, { ref }: { readonly ref?: string }) =>
          ref === undefined ? text : maskEntity(kind, text),
        ),
        ref: Type.Optional(
          nonPersonalWord(
            'For a client, payee, device or address: its reference for `about=KIND:REF`.',
            'abcdefghabcdefgh',
          ),
        ),
        count: count('Events.', 12),
      },
      { title: 'TopValue' },
    ),
    'The ten most frequent; among more than 100,000 values, those that occurred first.',
  );

const foundSchema = Type.Object(
  {
    counts: countedSchema,
    money: moneyList,
    bucketSeconds: count('Length of a bucket.', 3_600),
    series: list(
      Type.Object(
        { at: instant('Where the bucket begins.'), count: count('Events in it.', 3) },
        { title: 'SearchBucket' },
      ),
      'Oldest first; empty buckets are left out.',
    ),
    tops: Type.Object(
      Object.fromEntries(topKinds.map((kind) => [kind, topSchema(kind)])) as Record<
        TopKind,
        ReturnType<typeof topSchema>
      >,
      {
        title: 'SearchTops',
      },
    ),
    events: list(eventSummarySchema, `The newest 50 so far; at the end the newest ${newestMax}.`),
  },
  { title: 'FoundEvents' },
);

export type FoundAnswer = Type.Static<typeof foundSchema>;

export const eventSearchEvents = Type.Object(
  {
    progress: progressSchema,
    found: foundSchema,
    done: Type.Object(
      {
        found: foundSchema,
        notes: list(nonPersonalWord('A remark about the result.', 'The log keeps no older events.')),
      },
      { title: 'SearchedEvents' },
    ),
    problem: streamProblemSchema,
  },
  { title: 'EventSearchEvents', description: 'The data of the events of the stream, by their names.' },
);

export const exportBody = exactly({
  events: listOf(text({ maxLength: 64, expected: 'the id of an event' }), {
    minItems: 1,
    maxItems: newestMax,
    expected: `a list of 1 to ${newestMax} ids of events`,
    description: 'Ids of events.',
  }),
  ...showMember,
});

export const exportSchema = Type.Object(
  { items: list(eventSummarySchema, 'Newest first. Events that are not decided yet or no longer exist are left out.') },
  { title: 'ExportedEvents' },
);
