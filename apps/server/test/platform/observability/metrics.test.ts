import { describe, expect, it } from 'vitest';
import { IngestCounts } from '../../../src/platform/observability/ingest-counts.ts';
import { Metrics, type ScrapedState } from '../../../src/platform/observability/metrics.ts';

const state: ScrapedState = {
  workspaces: [{ id: 'abcdefgh', name: 'acme', environment: 'production', behind: 3, lagMs: 1_500, quarantined: 2 }],
  deliveries: new Map([
    ['due', 4],
    ['held', 1],
  ]),
  heldBack: { failing: new Set(['abcdefgh']), paused: new Set(['other']) },
  holds: new Map([['abcdefgh', { open: 3, due: 2, undelivered: 1 }]]),
  outcomes: new Map([['abcdefgh', { waiting: 5, unmatched: 6 }]]),
  registryAgeMs: 250,
  clockAheadMs: 0,
  retentionAgeMs: 7_000,
  networkDataAgeMs: 9_000,
  certificatesLeft: [
    { labels: { listener: 'listen' }, leftMs: 86_400_000 },
    { labels: { workspace: 'w1', certificate: 'client' }, leftMs: -1_000 },
  ],
};

async function printed(metrics: Metrics): Promise<readonly string[]> {
  return (await metrics.print()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('the metrics', () => {
  it('count requests by route and status, over all threads that take events', async () => {
    const threads = [new IngestCounts(() => 40), new IngestCounts(() => 70)];
    const metrics = new Metrics(
      async () => state,
      async () => threads.map((one) => one.read()),
    );
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
    expect(lines).toContain('ringfence_connections_refused_total 0');
    // Printing again gives the same number: the totals are set, not added again.
    expect(await printed(metrics)).toContain('ringfence_requests_total{route="login",status="200"} 3');
  });

  it('print everything else when a thread that takes events is silent', async () => {
    const metrics = new Metrics(
      async () => state,
      () => Promise.reject(new Error('silent')),
    );
    const lines = await printed(metrics);
    expect(lines).toContain('ringfence_engine_behind_records{workspace="abcdefgh"} 3');
    expect(lines.join()).not.toContain('ringfence_requests_total');
  });

  it('count appends, decisions, attempts, and what happened because of a lag', async () => {
    const ingest = new IngestCounts(() => 0);
    const metrics = new Metrics(
      async () => state,
      async () => [ingest.read()],
    );
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
    const metrics = new Metrics(async () => state);
    metrics.decided('abcdefgh', { records: 1, decisions: 1, residentBytes: 4_096 });
    expect(await printed(metrics)).toContain('ringfence_engine_memory_bytes{workspace="abcdefgh"} 4096');
    metrics.left('abcdefgh');
    expect((await printed(metrics)).join()).not.toContain('ringfence_engine_memory_bytes{');
  });

  it('count removed items, including zero', async () => {
    const metrics = new Metrics(async () => state);
    metrics.removed('events', 7);
    metrics.removed('events', 5);
    const lines = await printed(metrics);
    expect(lines).toContain('ringfence_removed_total{what="events"} 12');
    expect(lines).toContain('ringfence_removed_total{what="actions"} 0');
  });

  it('count failed log-ins by reason, including zero', async () => {
    const metrics = new Metrics(async () => state);
    metrics.logInFailed('password');
    metrics.logInFailed('password');
    const lines = await printed(metrics);
    expect(lines).toContain('ringfence_failed_log_ins_total{why="password"} 2');
    expect(lines).toContain('ringfence_failed_log_ins_total{why="codesUsedUp"} 0');
  });

  it('show the state of the database and the delay of the event loop', async () => {
    const lines = await printed(new Metrics(async () => state));
    expect(lines).toEqual(
      expect.arrayContaining([
        'ringfence_engine_behind_records{workspace="abcdefgh"} 3',
        'ringfence_engine_lag_seconds{workspace="abcdefgh"} 1.5',
        'ringfence_quarantined_records{workspace="abcdefgh"} 2',
        'ringfence_holds_due{workspace="abcdefgh"} 2',
        'ringfence_outcomes_waiting{workspace="abcdefgh"} 5',
        'ringfence_outcomes_unmatched{workspace="abcdefgh"} 6',
        'ringfence_webhook_failing{workspace="abcdefgh"} 1',
        'ringfence_deliveries_paused{workspace="abcdefgh"} 0',
        'ringfence_workspace_info{workspace="abcdefgh",name="acme",environment="production"} 1',
        'ringfence_deliveries{state="due"} 4',
        'ringfence_deliveries{state="leased"} 0',
        'ringfence_registry_age_seconds 0.25',
        'ringfence_retention_age_seconds 7',
        'ringfence_network_data_age_seconds 9',
        'ringfence_certificate_left_seconds{listener="listen"} 86400',
        'ringfence_certificate_left_seconds{workspace="w1",certificate="client"} -1',
        'ringfence_database_reachable 1',
        expect.stringMatching(/^nodejs_eventloop_lag_p99_seconds /),
      ]),
    );
  });

  it('are shown without the state of the database when it is unreachable', async () => {
    const metrics = new Metrics(() => Promise.reject(new Error('away')));
    metrics.attempted({ result: 'executed', durationMs: 40 });
    const lines = await printed(metrics);
    expect(lines).toContain('ringfence_database_reachable 0');
    expect(lines).toContain('ringfence_delivery_attempts_total{result="executed"} 1');
    expect(lines.filter((line) => line.startsWith('ringfence_deliveries'))).toEqual([]);
  });
});
