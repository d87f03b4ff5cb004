import { Type } from 'typebox';
import type { Overview, OverviewBucket } from '../../console/overview.ts';
import { exactly } from '../../platform/shapes/shape.ts';
import type { Failover } from '../../decide/failover.ts';
import { timeRange } from '../server/time-range.ts';
import { choice, count, documenting, instant, list, mapping, nonPersonalWord, seldom } from '../server/members.ts';

const numbers = {
  events: count('Events received.', 120),
  logins: count('Logins among them.', 40),
  operations: count('Operations among them.', 70),
  logouts: count('Logouts among them.', 10),
  fired: count('Events on which a live rule fired.', 3),
  shadow: count('Events on which only shadow rules fired.', 1),
  executed: count('Actions that the client executed.', 2),
  notExecuted: count('Actions that the client answered with code 0.', 0),
  failed: count('Actions that were not delivered: `dead` or `expired`.', 0),
  open: count('Actions that are not finished.', 1),
  capped: count('Actions that wait for a person’s release.', 0),
};

const topList = (what: string) =>
  list(
    Type.Object(
      { key: nonPersonalWord('What was counted.', '301'), count: count('How often.', 3) },
      { title: 'CountedName' },
    ),
    what,
  );

interface PrintedNewLife {
  readonly since: string;
  readonly keptUntil: string;
}

const newLifeSchema = documenting<PrintedNewLife>(
  Type.Object(
    {
      since: instant('When its first record was appended.'),
      keptUntil: instant('What was acknowledged after this, and before `since`, may be missing.'),
    },
    {
      title: 'NewLife',
      description: 'The last failover, recovery or restore of the database within 7 days.',
    },
  ),
);

export const overviewSchema = Type.Object(
  {
    from: instant('Where the first bucket begins.'),
    to: instant('End of the range, exclusive.'),
    bucketSeconds: count('Length of a bucket.', 900),
    buckets: list(
      Type.Object({ at: instant('Start of the bucket.'), ...numbers }, { title: 'OverviewBucket' }),
      'Oldest first, without gaps: at most 151.',
    ),
    totals: Type.Object(numbers, { title: 'OverviewTotals' }),
    activeSessions: count('Sessions with an event within the last 30 minutes.', 12),
    rules: topList('Live rules that fired, by `reason`, most frequent first.'),
    shadowRules: topList('Shadow rules that fired, by `reason`, most frequent first.'),
    countries: topList('Countries of logins (ISO 3166), where they are known.'),
    devices: topList('Platforms of the devices of logins.'),
    channels: topList('Channels by number of events.'),
    mismatches: topList('Why operations found no session.'),
    engine: Type.Object(
      {
        behind: count('Records that are not decided yet.', 0),
        lagMs: count('Milliseconds since the oldest of them was received.', 0),
        quarantined: count('Records that were quarantined.', 0),
        newLife: seldom(newLifeSchema),
      },
      { title: 'EngineHealth' },
    ),
    deliveries: Type.Object(
      {
        queued: mapping<number>(count('How many.'), 'Unfinished actions of the whole installation, by state.', {
          due: 1,
        }),
        endpoint: seldom(
          choice(
            ['failing', 'open', 'disabled'],
            '`failing`: only failures since its last answer, still being sent to; `open`, `disabled`: nothing is sent to it at present. Absent if no attempt has failed since.',
          ),
        ),
      },
      { title: 'DeliveryHealth' },
    ),
  },
  { title: 'Overview', description: 'Numbers of a workspace over a time range, a few seconds behind.' },
);

export const overviewQuery = exactly(timeRange('Came'));

type Numbers = { readonly [Name in keyof typeof numbers]: number };

export function printBuckets({ buckets }: Overview): readonly (Numbers & { readonly at: string })[] {
  return buckets.map((bucket) => ({ at: new Date(bucket.atMs).toISOString(), ...numbersOf(bucket) }));
}

/** The newest failover of a workspace. */
export function printNewLife(lives: readonly Failover[]): { readonly newLife?: PrintedNewLife } {
  const [newest] = lives;
  if (newest === undefined) return {};
  const [since, keptUntil] = [newest.sinceMs, newest.keptUntilMs].map((ms) => new Date(ms).toISOString());
  return { newLife: { since: since!, keptUntil: keptUntil! } };
}

function numbersOf({ counts }: OverviewBucket): Numbers {
  const sum = (...names: readonly string[]): number => names.reduce((total, name) => total + (counts[name] ?? 0), 0);
  return {
    events: sum('event.login', 'event.operation', 'event.logout'),
    logins: sum('event.login'),
    operations: sum('event.operation'),
    logouts: sum('event.logout'),
    fired: sum('decision.fired'),
    shadow: sum('decision.shadow'),
    executed: sum('action.executed'),
    notExecuted: sum('action.notExecuted'),
    failed: sum('action.dead', 'action.expired'),
    open: sum('action.open'),
    capped: sum('action.held'),
  };
}

export function totalsOf(buckets: readonly Numbers[]): Numbers {
  const names = Object.keys(numbers) as (keyof Numbers)[];
  const sumOf = (name: keyof Numbers): number => buckets.reduce((total, bucket) => total + bucket[name], 0);
  return Object.fromEntries(names.map((name) => [name, sumOf(name)])) as unknown as Numbers;
}
