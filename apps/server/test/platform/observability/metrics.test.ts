import { describe, expect, it } from 'vitest';
import { IngestCounts } from '../../../src/platform/observability/ingest-counts.ts';
import { Metrics, type MetricsOptions } from '../../../src/platform/observability/metrics.ts';
import type { PoolUse } from '../../../src/platform/observability/pool-use.ts';
import type { ScrapedState } from '../../../src/platform/observability/scraped-gauges.ts';
import { everyMetric, scraped } from '../../support/every-metric.ts';

const idlePool: PoolUse = { busy: 0, limit: 8, waiting: 0 };

function ingestCounts(loopDelayMs = 0, pool = idlePool, isStoreDegraded = false): IngestCounts {
  return new IngestCounts(
    () => ({ clockMs: loopDelayMs, processorMs: loopDelayMs / 2 }),
    () => pool,
    () => isStoreDegraded,
  );
}

function metricsOf(given: Partial<MetricsOptions> = {}): Metrics {
  return new Metrics({ scrape: async () => scraped, ingest: async () => [], monotonicMs: () => 0, ...given });
}

async function printed(metrics: Metrics): Promise<readonly string[]> {
  return (await metrics.print()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('the metrics', () => {
  it('count requests by route and status, over all threads that take events', async () => {
    const threads = [
      ingestCounts(40, { busy: 8, limit: 8, waiting: 2 }),
      ingestCounts(70, { busy: 1, limit: 8, waiting: 0 }, true),
    ];
    const metrics = metricsOf({ ingest: async () => threads.map((one) => one.read()) });
    const count = (thread: IngestCounts | undefined, status: number, durationMs = 3): void =>
      thread!.answered({ route: 'login', status, durationMs });
    for (const status of [200, 200, 401]) count(threads[0], status);
    count(threads[1], 200, 7_000);
    const lines = await printed(metrics);
    expect(lines).toContain('ringfence_requests_total{route="login",status="200"} 3');
    expect(lines).toContain('ringfence_requests_total{route="login",status="401"} 1');
    expect(lines).toContain('ringfence_request_duration_seconds_count 4');
    expect(lines).toContain('ringfence_request_duration_seconds_sum 7.009');
    expect(lines).toContain('ringfence_request_duration_seconds_bucket{le="0.002"} 0');
    expect(lines).toContain('ringfence_request_duration_seconds_bucket{le="0.005"} 3');
    expect(lines).toContain('ringfence_request_duration_seconds_bucket{le="5"} 3');
    expect(lines).toContain('ringfence_request_duration_seconds_bucket{le="+Inf"} 4');
    expect(lines).toContain('ringfence_ingest_loop_delay_seconds 0.07');
    expect(lines).toContain('ringfence_ingest_pool_busy 9');
    expect(lines).toContain('ringfence_ingest_pool_limit 16');
    expect(lines).toContain('ringfence_ingest_pool_waiting 2');
    expect(lines).toContain('ringfence_log_store_degraded 1');
    expect(lines).toContain('ringfence_connections_refused_total 0');
    // Printing again gives the same number: the totals are set, not added again.
    expect(await printed(metrics)).toContain('ringfence_requests_total{route="login",status="200"} 3');
  });

  it('print everything else when a thread that takes events is silent', async () => {
    const metrics = metricsOf({ ingest: () => Promise.reject(new Error('silent')) });
    const lines = await printed(metrics);
    expect(lines).toContain('ringfence_engine_behind_records{workspace="abcdefgh"} 3');
    expect(lines.join()).not.toContain('ringfence_requests_total');
  });

  it('count appends, decisions, attempts, and what happened because of a lag', async () => {
    const ingest = ingestCounts();
    const metrics = metricsOf({ ingest: async () => [ingest.read()] });
    ingest.appended(2);
    ingest.connectionRefused();
    metrics.decided('abcdefgh', { records: 10, decisions: 9, residentBytes: 4_096 });
    metrics.attempted({ result: 'executed', durationMs: 40 });
    ingest.pendingForLag('abcdefgh');
    for (let i = 0; i < 3; i++) ingest.refusedForLag('abcdefgh');
    const lines = await printed(metrics);
    expect(lines).toContain('ringfence_append_duration_seconds_count 1');
    expect(lines).toContain('ringfence_connections_refused_total 1');
    expect(lines).toContain('ringfence_decisions_total{workspace="abcdefgh"} 9');
    expect(lines).toContain('ringfence_engine_records_total{workspace="abcdefgh"} 10');
    expect(lines).toContain('ringfence_delivery_attempts_total{result="executed"} 1');
    expect(lines).toContain('ringfence_pending_for_lag_total{workspace="abcdefgh"} 1');
    expect(lines).toContain('ringfence_refused_for_lag_total{workspace="abcdefgh"} 3');
  });

  it('show the memory used by a workspace while it is decided here', async () => {
    const metrics = metricsOf();
    metrics.decided('abcdefgh', { records: 1, decisions: 1, residentBytes: 4_096 });
    expect(await printed(metrics)).toContain('ringfence_engine_memory_bytes{workspace="abcdefgh"} 4096');
    metrics.left('abcdefgh');
    expect((await printed(metrics)).join()).not.toContain('ringfence_engine_memory_bytes{');
  });

  it('count removed items, including zero', async () => {
    const metrics = metricsOf();
    metrics.removed('events', 7);
    metrics.removed('events', 5);
    const lines = await printed(metrics);
    expect(lines).toContain('ringfence_removed_total{what="events"} 12');
    expect(lines).toContain('ringfence_removed_total{what="actions"} 0');
  });

  it('count failed log-ins by reason, including zero', async () => {
    const metrics = metricsOf();
    metrics.logInFailed('password');
    metrics.logInFailed('password');
    const lines = await printed(metrics);
    expect(lines).toContain('ringfence_failed_log_ins_total{why="password"} 2');
    expect(lines).toContain('ringfence_failed_log_ins_total{why="codesUsedUp"} 0');
  });

  it('show the state of the database and the delay of the event loop', async () => {
    const lines = await printed(metricsOf());
    expect(lines).toEqual(
      expect.arrayContaining([
        'ringfence_engine_behind_records{workspace="abcdefgh"} 3',
        'ringfence_engine_lag_seconds{workspace="abcdefgh"} 1.5',
        'ringfence_quarantined_records{workspace="abcdefgh"} 2',
        'ringfence_holds_due{workspace="abcdefgh"} 2',
        'ringfence_outcomes_waiting{workspace="abcdefgh"} 5',
        'ringfence_outcomes_unmatched{workspace="abcdefgh"} 6',
        'ringfence_model_stability_index{workspace="abcdefgh",model="cards",input="amount"} 0.02',
        'ringfence_notifications_waiting{kind="email"} 2',
        'ringfence_notifications_oldest_seconds{kind="email"} 3',
        'ringfence_notifications_dead{kind="email"} 1',
        'ringfence_webhook_failing{workspace="abcdefgh"} 1',
        'ringfence_deliveries_paused{workspace="abcdefgh"} 0',
        'ringfence_workspace_info{workspace="abcdefgh",name="acme",environment="production"} 1',
        'ringfence_deliveries{state="due"} 4',
        'ringfence_deliveries{state="leased"} 0',
        'ringfence_registry_age_seconds 0.25',
        'ringfence_retention_age_seconds 7',
        'ringfence_audit_unsent_entries 3',
        'ringfence_audit_unsent_age_seconds 8',
        'ringfence_network_data_age_seconds 9',
        'ringfence_certificate_left_seconds{listener="listen"} 86400',
        'ringfence_certificate_left_seconds{workspace="w1",certificate="client"} -1',
        'ringfence_database_reachable{database="home"} 1',
        'ringfence_deliveries_dead{workspace="abcdefgh"} 8',
        'ringfence_deliveries_expired{workspace="abcdefgh"} 0',
        'ringfence_database_bytes{database="home"} 9000000',
        'ringfence_table_bytes{database="home",table="event"} 8000000',
        'ringfence_disk_free_bytes{database="home"} 1000',
        'ringfence_disk_bytes{database="home"} 4000',
        'ringfence_pool_busy{database="home"} 2',
        'ringfence_pool_limit{database="home"} 16',
        'ringfence_pool_waiting{database="home"} 1',
        expect.stringMatching(/^process_open_fds \d+$/),
        expect.stringMatching(/^process_max_fds \d+$/),
        expect.stringMatching(/^nodejs_eventloop_lag_p99_seconds /),
      ]),
    );
  });

  it('show the delay of the deciding threads while one of them says it', async () => {
    let atMs = 0;
    const metrics = metricsOf({ monotonicMs: () => atMs });
    expect((await printed(metrics)).join()).not.toContain('ringfence_engine_loop_delay');
    metrics.engineDelay({ p99Ms: 12, maxMs: 300 });
    expect(await printed(metrics)).toContain('ringfence_engine_loop_delay_p99_seconds 0.012');
    atMs = 5_000;
    expect(await printed(metrics)).toContain('ringfence_engine_loop_delay_max_seconds 0.3');
    atMs = 5_001;
    expect((await printed(metrics)).join()).not.toContain('ringfence_engine_loop_delay');
  });

  it('have no label whose name Prometheus or Grafana gives a meaning', async () => {
    const labels = (await printed(everyMetric())).flatMap((line) =>
      [...line.matchAll(/[{,](\w+)="/g)].map(([, label]) => `${line.split('{')[0]} ${label}`),
    );
    expect(labels).toContain('ringfence_requests_total route');
    const reserved = /^ringfence_(?:\S+ (?:quantile|job|instance|__\w+)|\S+(?<!_bucket) le)$/;
    expect(labels.filter((label) => reserved.test(label))).toEqual([]);
  });

  it.each([
    {
      away: 'the database is',
      state: { ...scraped, databases: [{ ...scraped.databases[0]!, state: undefined, storage: undefined }] },
      missing: [
        'engine_behind_records',
        'engine_lag_seconds',
        'quarantined_records',
        'engine_paused',
        'model_stability_index',
        'workspace_info',
        'webhook_failing',
        'deliveries_paused',
        'holds_open',
        'holds_due',
        'hold_resolutions_undelivered',
        'outcomes_waiting',
        'outcomes_unmatched',
        'deliveries_dead',
        'deliveries_expired',
        'notifications_waiting',
        'notifications_oldest_seconds',
        'notifications_dead',
        'deliveries',
        'database_bytes',
        'table_bytes',
        'disk_free_bytes',
        'disk_bytes',
        'audit_unsent_entries',
        'retention_age_seconds',
        'audit_unsent_age_seconds',
        'stream_lag_seconds',
        'stream_lost',
      ],
    },
    {
      away: 'the threads that take events are',
      state: { ...scraped, threads: undefined },
      missing: ['registry_age_seconds', 'network_data_age_seconds'],
    },
  ])('lack the gauges whose source is away, and no other: $away', async ({ state, missing }) => {
    let now: ScrapedState = scraped;
    const metrics = metricsOf({ scrape: async () => now });
    metrics.attempted({ result: 'executed', durationMs: 40 });
    const namesOf = (lines: readonly string[]): ReadonlySet<string> =>
      new Set(lines.map((line) => /^\w+/.exec(line)![0]).filter((name) => name.startsWith('ringfence_')));
    const before = namesOf(await printed(metrics));
    now = state;
    const lines = await printed(metrics);
    expect([...before].filter((name) => !namesOf(lines).has(name))).toEqual(missing.map((name) => `ringfence_${name}`));
    expect(lines).toContain(
      `ringfence_database_reachable{database="home"} ${state.databases[0]!.state === undefined ? 0 : 1}`,
    );
    expect(lines).toContain('ringfence_delivery_attempts_total{result="executed"} 1');
    now = scraped;
    expect(namesOf(await printed(metrics))).toEqual(before);
  });

  it('show each of several databases, and numbers of all together', async () => {
    const [home] = scraped.databases;
    const north = { ...home!, name: 'north', state: { ...home!.state!, retentionAgeMs: 9_000 } };
    const away = { name: 'south', state: undefined, storage: undefined, pool: undefined };
    const metrics = metricsOf({ scrape: async () => ({ ...scraped, databases: [home!, north, away] }) });
    expect(await printed(metrics)).toEqual(
      expect.arrayContaining([
        'ringfence_database_reachable{database="home"} 1',
        'ringfence_database_reachable{database="north"} 1',
        'ringfence_database_reachable{database="south"} 0',
        'ringfence_database_bytes{database="north"} 9000000',
        'ringfence_deliveries{state="due"} 8',
        'ringfence_notifications_waiting{kind="email"} 4',
        'ringfence_retention_age_seconds 9',
      ]),
    );
  });
});
