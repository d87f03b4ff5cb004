import { IngestCounts } from '../../src/platform/observability/ingest-counts.ts';
import { Metrics } from '../../src/platform/observability/metrics.ts';
import type { ScrapedState } from '../../src/platform/observability/scraped-gauges.ts';

const home: ScrapedState['databases'][number] = {
  name: 'home',
  state: {
    workspaces: [{ id: 'abcdefgh', name: 'acme', environment: 'production', behind: 3, lagMs: 1_500, quarantined: 2 }],
    deliveries: new Map([
      ['due', 4],
      ['held', 1],
    ]),
    lost: { dead: new Map([['abcdefgh', 8]]), expired: new Map() },
    heldBack: { failing: new Set(['abcdefgh']), paused: new Set(['other']) },
    holds: new Map([['abcdefgh', { open: 3, due: 2, undelivered: 1 }]]),
    outcomes: new Map([['abcdefgh', { waiting: 5, unmatched: 6 }]]),
    drifts: [{ workspaceId: 'abcdefgh', model: 'cards', inputs: [{ input: 'amount', index: 0.02 }] }],
    notifications: [{ kind: 'email', waiting: 2, oldestMs: 3_000, dead: 1 }],
    retentionAgeMs: 7_000,
    unsentAudit: { waiting: 3, oldestMs: 8_000 },
    streams: [
      {
        name: 'lake',
        target: 'parquet files in /srv/lake',
        isRunning: true,
        lagMs: 2_000,
        failingSinceMs: undefined,
        error: undefined,
        lostAtMs: 1,
        kinds: [{ kind: 'decisions', sent: 9, lagMs: 2_000 }],
      },
    ],
  },
  storage: {
    databaseBytes: 9_000_000,
    tables: new Map([['event', 8_000_000]]),
    disk: { folder: '/srv', freeBytes: 1_000, sizeBytes: 4_000 },
  },
  pool: { busy: 2, limit: 16, waiting: 1 },
};

/** What the metrics of a busy service show, with a value for each gauge. */
export const scraped: ScrapedState = {
  databases: [home],
  threads: { registryAgeMs: 250, networkDataAgeMs: 9_000 },
  clockAheadMs: 0,
  certificatesLeft: [
    { labels: { listener: 'listen' }, leftMs: 86_400_000 },
    { labels: { workspace: 'w1', certificate: 'client' }, leftMs: -1_000 },
  ],
};

/** The metrics of a service in which everything has happened once. */
export function everyMetric(): Metrics {
  const ingest = new IngestCounts(
    () => ({ clockMs: 0, processorMs: 0 }),
    () => ({ busy: 1, limit: 8, waiting: 0 }),
    () => false,
  );
  ingest.answered({ route: 'login', status: 200, durationMs: 3 });
  ingest.appended(2);
  ingest.pendingForLag('abcdefgh');
  ingest.refusedForLag('abcdefgh');
  const metrics = new Metrics({
    scrape: async () => scraped,
    ingest: async () => [ingest.read()],
    monotonicMs: () => 0,
  });
  metrics.decided('abcdefgh', { records: 1, decisions: 1, residentBytes: 4_096 });
  metrics.engineDelay({ p99Ms: 10, maxMs: 20 });
  metrics.notificationAttempted('email', 'sent');
  metrics.attempted({ result: 'executed', durationMs: 40 });
  return metrics;
}
