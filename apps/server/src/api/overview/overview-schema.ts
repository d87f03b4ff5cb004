import { Type } from 'typebox';
import type { Overview, OverviewBucket } from '../../console/overview.ts';
import { exactly } from '../../platform/shapes/shape.ts';
import type { NewLife } from '../../decide/failover.ts';
import { timeRange } from '../server/time-range.ts';
import { choice, count, documenting, instant, list, mapping, seldom, word } from '../server/members.ts';

const numbers = {
  events: count('Events that came.', 120),
  logins: count('Of them logins.', 40),
  operations: count('Of them operations.', 70),
  logouts: count('Of them logouts.', 10),
  fired: count('Events on which a live rule fired.', 3),
  shadow: count('Events on which only shadow rules fired.', 1),
  executed: count('Actions that the client executed.', 2),
  notExecuted: count('Actions that the client answered with code 0.', 0),
  failed: count('Actions that were not delivered: `dead` or `expired`.', 0),
  open: count('Actions that are still moving.', 1),
  held: count('Actions that wait for a person.', 0),
};

const topList = (what: string) =>
  list(
    Type.Object({ key: word('What was counted.', '301'), count: count('How often.', 3) }, { title: 'CountedName' }),
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
      description: 'The last life of the database that began within 7 days, by a fail-over, a recovery or a restore.',
    },
  ),
);

export const overviewSchema = Type.Object(
  {
    from: instant('Where the first bucket begins.'),
    to: instant('Before this.'),
    bucketSeconds: count('Length of a bucket.', 900),
    buckets: list(
      Type.Object({ at: instant('Where it begins.'), ...numbers }, { title: 'OverviewBucket' }),
      'Oldest first, without a gap: at most 151.',
    ),
    totals: Type.Object(numbers, { title: 'OverviewTotals' }),
    activeSessions: count('Sessions with an event within the last 30 minutes.', 12),
    rules: topList('Live rules that fired, by `reason`, the most first.'),
    shadowRules: topList('Shadow rules that fired, by `reason`, the most first.'),
    countries: topList('Countries of logins (ISO 3166), where they are known.'),
    devices: topList('Platforms of the devices of logins.'),
    channels: topList('Channels by events.'),
    mismatches: topList('Why operations found no session.'),
    engine: Type.Object(
      {
        behind: count('Records that are not decided yet.', 0),
        lagMs: count('Milliseconds since the oldest of them came.', 0),
        quarantined: count('Records that were put aside.', 0),
        newLife: seldom(newLifeSchema),
      },
      { title: 'EngineHealth' },
    ),
    deliveries: Type.Object(
      {
        queued: mapping<number>(count('How many.'), 'Actions of the whole installation that are moving, by state.', {
          due: 1,
        }),
        endpoint: seldom(
          choice(
            ['failing', 'open', 'disabled'],
            '`failing`: nothing but failures since it last answered, and it is sent to all the same; `open`, `disabled`: nothing is sent to it just now. Absent when no attempt failed since.',
          ),
        ),
      },
      { title: 'DeliveryHealth' },
    ),
  },
  { title: 'Overview', description: 'Numbers of a workspace over a time, some seconds behind.' },
);

export const overviewQuery = exactly(timeRange('Came'));

type Numbers = { readonly [Name in keyof typeof numbers]: number };

export function printBuckets({ buckets }: Overview): readonly (Numbers & { readonly at: string })[] {
  return buckets.map((bucket) => ({ at: new Date(bucket.atMs).toISOString(), ...numbersOf(bucket) }));
}

/** The newest, as of the lives of one workspace. */
export function printNewLife(lives: readonly NewLife[]): { readonly newLife?: PrintedNewLife } {
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
    held: sum('action.held'),
  };
}

export function totalsOf(buckets: readonly Numbers[]): Numbers {
  const names = Object.keys(numbers) as (keyof Numbers)[];
  const sumOf = (name: keyof Numbers): number => buckets.reduce((total, bucket) => total + bucket[name], 0);
  return Object.fromEntries(names.map((name) => [name, sumOf(name)])) as unknown as Numbers;
}
