/** Goal: every alert fires in the fault that it is for, no other one does then, and none while all is well. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { evaluate, type Labels, parseQuery, selectorsOf, type Series } from '../../../../tools/testing/promql.ts';
import { everyMetric } from '../support/every-metric.ts';

const deploy = `${import.meta.dirname}/../../../../deploy`;
const rulesFile = `${deploy}/prometheus/rules.yaml`;

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Labels;
  readonly annotations: { readonly summary: string };
}

const { groups } = parse(readFileSync(rulesFile, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const parsed = new Map(rules.map((rule) => [rule.alert, parseQuery(rule.expr)]));

/** What Prometheus adds to every series that it scrapes. */
const target = { job: 'ringfence', instance: 'one:8081' };
/** When a fault begins. Before, all was well for longer than any rule looks back. */
const faultAt = 130;
const lookedUntil = 270;
/** Samples of the healthy service that are not 0. */
const healthy: Readonly<Record<string, number>> = {
  ringfence_database_reachable: 1,
  ringfence_workspace_info: 1,
  ringfence_disk_bytes: 4_000,
  ringfence_disk_free_bytes: 3_000,
  ringfence_certificate_left_seconds: 5_000_000,
  process_open_fds: 100,
  process_max_fds: 1_000,
};

/** A series of the healthy service: constant, but for the samples of histograms, which all lie in the first bucket. */
let service: readonly Series[] = [];
beforeAll(async () => {
  const text = await everyMetric().print();
  service = text.split('\n').flatMap((line) => {
    const found = /^(?<name>\w+)(?:\{(?<labels>.*)\})? \S+$/.exec(line)?.groups;
    if (found === undefined) return [];
    const labels = [...(found['labels'] ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key!, value!]);
    const name = found['name']!;
    const grows = /_(?:bucket|count)$/.test(name);
    return [
      {
        name,
        labels: { ...Object.fromEntries(labels), ...target } as Labels,
        at: (minute: number) => (grows ? minute * 60 : (healthy[name] ?? 0)),
      },
    ];
  });
});

/** The faulty value of the series that have these labels, by minutes since the fault began. */
interface Fault {
  readonly alert: string;
  readonly metric: string;
  readonly labels?: Labels;
  readonly value: (minutes: number, healthy: number) => number | undefined;
}

const rising = (by: number) => (minutes: number, before: number) => before + by * minutes;
const once = (by: number) => (_: number, before: number) => before + by;
const slow =
  (bound: number) =>
  (metric: string, alert: string): Fault => ({
    alert,
    metric: `${metric}_bucket`,
    // Nothing is in the buckets up to the bound from now on.
    labels: { le: `<=${bound}` },
    value: (minutes, before) => before - minutes * 60,
  });

const faults: readonly Fault[] = [
  { alert: 'RingfenceNotScraped', metric: 'ringfence_database_reachable', value: () => undefined },
  { alert: 'RingfenceOpenFiles', metric: 'process_open_fds', value: () => 900 },
  { alert: 'RingfenceMainThreadBlocked', metric: 'nodejs_eventloop_lag_p99_seconds', value: () => 0.5 },
  { alert: 'RingfenceClockWrong', metric: 'ringfence_clock_ahead_seconds', value: () => -11 },
  { alert: 'RingfenceCertificateEnds', metric: 'ringfence_certificate_left_seconds', value: () => 1_000_000 },
  { alert: 'RingfenceNetworkDataOld', metric: 'ringfence_network_data_age_seconds', value: () => 31_600_000 },
  {
    alert: 'RingfenceEventsNotStored',
    metric: 'ringfence_requests_total',
    labels: { status: '503' },
    value: rising(1),
  },
  {
    alert: 'RingfenceRequestsRefused',
    metric: 'ringfence_requests_total',
    labels: { status: '401' },
    value: rising(9),
  },
  slow(0.2)('ringfence_request_duration_seconds', 'RingfenceRequestsSlow'),
  slow(0.1)('ringfence_append_duration_seconds', 'RingfenceAppendsSlow'),
  { alert: 'RingfenceConnectionsRefused', metric: 'ringfence_connections_refused_total', value: rising(1) },
  {
    alert: 'RingfenceConsoleConnectionsRefused',
    metric: 'ringfence_management_connections_refused_total',
    value: rising(1),
  },
  { alert: 'RingfenceIngestThreadBlocked', metric: 'ringfence_ingest_loop_delay_seconds', value: () => 0.5 },
  {
    alert: 'RingfenceFailedLogIns',
    metric: 'ringfence_failed_log_ins_total',
    labels: { why: 'password' },
    value: rising(9),
  },
  {
    alert: 'RingfenceCodesUsedUp',
    metric: 'ringfence_failed_log_ins_total',
    labels: { why: 'codesUsedUp' },
    value: once(1),
  },
  { alert: 'RingfenceDatabaseAway', metric: 'ringfence_database_reachable', value: () => 0 },
  { alert: 'RingfenceRegistryOld', metric: 'ringfence_registry_age_seconds', value: () => 30 },
  { alert: 'RingfenceDiskFills', metric: 'ringfence_disk_free_bytes', value: () => 300 },
  { alert: 'RingfencePoolWaits', metric: 'ringfence_pool_waiting', value: () => 3 },
  { alert: 'RingfenceIngestPoolWaits', metric: 'ringfence_ingest_pool_waiting', value: () => 3 },
  { alert: 'RingfenceKafkaLeftAlone', metric: 'ringfence_log_store_degraded', value: () => 1 },
  { alert: 'RingfenceRetentionLate', metric: 'ringfence_retention_age_seconds', value: () => 90_000 },
  { alert: 'RingfenceAuditNotSent', metric: 'ringfence_audit_unsent_age_seconds', value: () => 1_000 },
  { alert: 'RingfenceStreamLate', metric: 'ringfence_stream_lag_seconds', value: () => 1_000 },
  { alert: 'RingfenceStreamLost', metric: 'ringfence_stream_lost', value: () => 1 },
  { alert: 'RingfenceDecisionsLate', metric: 'ringfence_engine_lag_seconds', value: () => 6 },
  { alert: 'RingfenceBacklogGrows', metric: 'ringfence_engine_behind_records', value: rising(300) },
  { alert: 'RingfencePendingForLag', metric: 'ringfence_pending_for_lag_total', value: rising(1) },
  { alert: 'RingfenceEventsRefusedForLag', metric: 'ringfence_refused_for_lag_total', value: once(1) },
  { alert: 'RingfenceDecidingThreadBlocked', metric: 'ringfence_engine_loop_delay_max_seconds', value: () => 0.5 },
  { alert: 'RingfenceRecordsQuarantined', metric: 'ringfence_quarantined_records', value: () => 1 },
  { alert: 'RingfencePolicyRefused', metric: 'ringfence_engine_paused', value: () => 1 },
  { alert: 'RingfenceActionsWait', metric: 'ringfence_deliveries', labels: { state: 'due' }, value: () => 2_000 },
  { alert: 'RingfenceActionsCapped', metric: 'ringfence_deliveries', labels: { state: 'capped' }, value: () => 1 },
  { alert: 'RingfenceActionsDead', metric: 'ringfence_deliveries_dead', value: once(1) },
  { alert: 'RingfenceActionsExpired', metric: 'ringfence_deliveries_expired', value: once(1) },
  { alert: 'RingfenceWebhookFails', metric: 'ringfence_webhook_failing', value: () => 1 },
  { alert: 'RingfenceDeliveriesPaused', metric: 'ringfence_deliveries_paused', value: () => 1 },
  {
    alert: 'RingfenceAttemptsFail',
    metric: 'ringfence_delivery_attempts_total',
    labels: { result: 'timeout' },
    value: rising(1),
  },
  slow(5)('ringfence_delivery_attempt_duration_seconds', 'RingfenceWebhookSlow'),
  { alert: 'RingfenceNotificationsWait', metric: 'ringfence_notifications_oldest_seconds', value: () => 700 },
  { alert: 'RingfenceNotificationsDead', metric: 'ringfence_notifications_dead', value: once(1) },
  { alert: 'RingfenceHoldsGrow', metric: 'ringfence_holds_open', value: rising(1) },
  { alert: 'RingfenceHoldsEnd', metric: 'ringfence_holds_due', value: () => 1 },
  { alert: 'RingfenceResolutionsUndelivered', metric: 'ringfence_hold_resolutions_undelivered', value: () => 1 },
  { alert: 'RingfenceOutcomesWait', metric: 'ringfence_outcomes_waiting', value: rising(1) },
  { alert: 'RingfenceOutcomesUnmatched', metric: 'ringfence_outcomes_unmatched', value: once(2) },
  { alert: 'RingfenceModelDrifts', metric: 'ringfence_model_stability_index', value: () => 0.3 },
];

/** The service with a fault. A series that begins with the fault was 0 before. */
function withFault({ metric, labels = {}, value }: Fault): readonly Series[] {
  const isMeant = (series: Series): boolean =>
    series.name === metric &&
    Object.entries(labels).every(([label, wanted]) => {
      const has = series.labels[label];
      return wanted.startsWith('<=') ? Number(has) <= Number(wanted.slice(2)) : has === wanted;
    });
  const meant = service.filter(isMeant);
  const first = service.find(({ name }) => name === metric)!;
  const faulty = meant.length > 0 ? meant : [{ ...first, labels: { ...first.labels, ...labels }, at: () => 0 }];
  return [
    ...service.filter((series) => !isMeant(series)),
    ...faulty.map(({ name, labels: own, at }) => ({
      name,
      labels: own,
      at: (minute: number) => (minute < faultAt ? at(minute) : value(minute - faultAt, at(minute)!)),
    })),
  ];
}

const forMinutes = (rule: Rule): number => {
  const [, count = '0', unit = 'm'] = /^(\d+)([mh])$/.exec(rule.for ?? '') ?? [];
  return Number(count) * (unit === 'h' ? 60 : 1);
};

/** Whether a rule's condition held in each of the minutes for which it waits. */
function fires(rule: Rule, series: readonly Series[], minute: number): boolean {
  const query = parsed.get(rule.alert)!;
  return Array.from({ length: forMinutes(rule) + 1 }, (_, ago) => minute - ago).every(
    (at) => evaluate(query, series, at).length > 0,
  );
}

/** The alerts that fire at some minute of a range. */
function firing(series: readonly Series[], from: number, until: number): readonly string[] {
  const minutes = Array.from({ length: until - from }, (_, i) => from + i);
  return rules.filter((rule) => minutes.some((minute) => fires(rule, series, minute))).map(({ alert }) => alert);
}

describe('the alert rules', () => {
  it.each(faults)('$alert fires in its fault, and no other does', (fault) => {
    const series = withFault(fault);
    expect(firing(series, faultAt - 1, faultAt)).toEqual([]);
    expect(firing(series, faultAt, lookedUntil)).toEqual([fault.alert]);
  });

  it('have a fault for each, and fire in none while all is well', () => {
    expect(faults.map(({ alert }) => alert)).toEqual(rules.map(({ alert }) => alert));
    expect(firing(service, 65, 70)).toEqual([]);
  });

  it('name only metrics and labels that a scrape has', () => {
    expect(rules.flatMap(({ expr }) => unknownIn(expr))).toEqual([]);
    for (const { expr, annotations, labels } of rules) {
      expect(['page', 'ticket']).toContain(labels['severity']);
      const names = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label!);
      for (const { metric } of selectorsOf(parseQuery(expr)).slice(0, 1)) {
        const known = service.filter(({ name }) => name === metric).flatMap((one) => Object.keys(one.labels));
        expect(known, expr).toEqual(expect.arrayContaining(names));
      }
    }
  });

  it('are accepted by promtool, where it is installed', ({ skip }) => {
    const hasPromtool = (process.env['PATH'] ?? '').split(':').some((folder) => isFile(join(folder, 'promtool')));
    if (!hasPromtool) return skip('promtool is not installed');
    const folder = mkdtempSync(join(tmpdir(), 'ringfence-rules-'));
    try {
      const test = join(folder, 'test.yaml');
      writeFileSync(
        test,
        JSON.stringify({ rule_files: [rulesFile], evaluation_interval: '1m', tests: faults.map(asTest) }),
      );
      execFileSync('promtool', ['check', 'rules', rulesFile], { stdio: 'pipe' });
      expect(execFileSync('promtool', ['test', 'rules', test], { encoding: 'utf8' })).toContain('SUCCESS');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 60_000);
});

it('every query of the dashboard names metrics and labels that a scrape has', () => {
  const dashboard = JSON.parse(readFileSync(`${deploy}/grafana/ringfence.json`, 'utf8')) as {
    panels: { title: string; targets: { expr: string; legendFormat: string }[] }[];
  };
  const targets = dashboard.panels.flatMap((panel) => panel.targets);
  expect(targets.length).toBeGreaterThan(30);
  expect(targets.flatMap(({ expr }) => unknownIn(expr))).toEqual([]);
  expect(new Set(dashboard.panels.map(({ title }) => title)).size).toBe(dashboard.panels.length);
});

function isFile(path: string): boolean {
  try {
    return readFileSync(path).length > 0;
  } catch {
    return false;
  }
}

/** Metrics that a query names and no scrape has, and labels that they do not have. */
function unknownIn(expr: string): readonly string[] {
  return selectorsOf(parseQuery(expr.replaceAll('$__rate_interval', '5m'))).flatMap(({ metric, labels }) => {
    const found = service.filter(({ name }) => name === metric);
    if (found.length === 0) return [`${metric} in ${expr}`];
    return labels
      .filter((label) => !found.some((one) => Object.hasOwn(one.labels, label)))
      .map((label) => `${label} of ${metric} in ${expr}`);
  });
}

const named = new Set(rules.flatMap(({ expr }) => selectorsOf(parseQuery(expr)).map(({ metric }) => metric)));
const firingNow = 'group by (alertname) (ALERTS{alertstate="firing"})';

/** The same fault as a test of promtool: at the first minute at which we say that the alert fires. */
function asTest(fault: Fault): object {
  const series = withFault(fault);
  const rule = rules.find(({ alert }) => alert === fault.alert)!;
  const valueNow = (value: number | undefined): string => (value === undefined ? 'stale' : String(value));
  let at = faultAt;
  while (!fires(rule, series, at)) at++;
  // Promtool extrapolates ranges: some minutes later both agree.
  const minute = at + 3;
  return {
    interval: '1m',
    input_series: series
      .filter(({ name }) => named.has(name))
      .map(({ name, labels, at: valueAt }) => ({
        series: `${name}${JSON.stringify(labels).replaceAll(/"(\w+)":/g, '$1=')}`,
        values: Array.from({ length: minute + 1 }, (_, then) => valueNow(valueAt(then))).join(' '),
      })),
    promql_expr_test: [
      { expr: firingNow, eval_time: `${faultAt - 1}m`, exp_samples: [] },
      { expr: firingNow, eval_time: `${minute}m`, exp_samples: [{ labels: `{alertname="${rule.alert}"}`, value: 1 }] },
    ],
  };
}
