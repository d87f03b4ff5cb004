import { dayMs } from '@ringfence/contract';
import { readOverview } from '../../console/overview.ts';
import { failoverReportedMs, readFailovers } from '../../decide/failover.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { type Route, route } from '../server/operation.ts';
import { inWorkspace } from '../server/members.ts';
import { overviewQuery, overviewSchema, printBuckets, printNewLife, totalsOf } from './overview-schema.ts';
import { readTimeRange } from '../server/time-range.ts';

/** Range without `from` and `to`. */
const rangeMs = dayMs;

const overviewRoute = route(
  {
    id: 'readOverview',
    method: 'GET',
    path: '/workspaces/{workspace}/overview',
    tag: 'console',
    needs: 'see',
    summary: 'Numbers of a workspace over a time range, in buckets',
    description: 'The last 24 hours by default. The length of a bucket follows from the range.',
    params: inWorkspace,
    query: overviewQuery,
    answer: { status: 200, description: 'The numbers.', schema: overviewSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params, query }) => {
    const { id } = await findWorkspace(deps, params);
    const nowMs = deps.now();
    const { fromMs, toMs = nowMs } = readTimeRange(query);
    const range = { fromMs: fromMs ?? toMs - rangeMs, toMs, nowMs };
    const [overview, backlogs, queued, lives, breaker] = await Promise.all([
      readOverview(deps.pool, id, range),
      deps.backlogs(),
      deps.queued(),
      readFailovers(deps.pool, nowMs - failoverReportedMs),
      deps.deliveries.endpoint(id),
    ]);
    const { behind = 0, lagMs = 0, quarantined = 0 } = backlogs.find((one) => one.id === id) ?? {};
    const buckets = printBuckets(overview);
    const top = (name: string) => (overview.tops.get(name) ?? []).map(({ key, count }) => ({ key, count }));
    const closed = breaker.failures > 0 ? ('failing' as const) : undefined;
    const failing = breaker.state === 'closed' ? closed : breaker.state;
    return {
      from: buckets[0]?.at ?? new Date(range.fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
      bucketSeconds: overview.bucketSeconds,
      buckets,
      totals: totalsOf(buckets),
      activeSessions: overview.activeSessions,
      rules: top('rule'),
      shadowRules: top('shadow'),
      countries: top('country'),
      devices: top('device'),
      channels: top('channel'),
      mismatches: top('mismatch'),
      engine: { behind, lagMs, quarantined, ...printNewLife(lives.filter(({ workspaceId }) => workspaceId === id)) },
      deliveries: { queued: Object.fromEntries(queued), ...(failing === undefined ? {} : { endpoint: failing }) },
    };
  },
);

/** The overview that the console shows first. */
export const overviewRoutes: readonly Route[] = [overviewRoute];
