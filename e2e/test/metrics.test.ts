import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { crashPolicy } from '../harness/bank.ts';
import { login } from '../harness/event-bodies.ts';
import { eventually } from '../harness/eventually.ts';
import { startPostgres } from '../harness/postgres.ts';
import { openScene } from '../harness/scene.ts';
import { temporaryHome } from '../harness/temporary-home.ts';

/** Counters of what this process did, and gauges about itself: they need no database. */
const ofTheProcess = [
  'ringfence_append_duration_seconds_bucket',
  'ringfence_append_duration_seconds_count',
  'ringfence_append_duration_seconds_sum',
  'ringfence_audit_sends_failed_total',
  'ringfence_clock_ahead_seconds',
  'ringfence_connections_refused_total',
  'ringfence_database_reachable',
  'ringfence_decisions_total',
  'ringfence_delivery_attempt_duration_seconds_bucket',
  'ringfence_delivery_attempt_duration_seconds_count',
  'ringfence_delivery_attempt_duration_seconds_sum',
  'ringfence_engine_loop_delay_max_seconds',
  'ringfence_engine_loop_delay_p99_seconds',
  'ringfence_engine_records_total',
  'ringfence_failed_log_ins_total',
  'ringfence_ingest_loop_busy_seconds',
  'ringfence_ingest_loop_delay_seconds',
  'ringfence_ingest_pool_busy',
  'ringfence_ingest_pool_limit',
  'ringfence_ingest_pool_waiting',
  'ringfence_log_store_degraded',
  'ringfence_management_connections_refused_total',
  'ringfence_network_data_age_seconds',
  'ringfence_pool_busy',
  'ringfence_pool_limit',
  'ringfence_pool_waiting',
  'ringfence_registry_age_seconds',
  'ringfence_removed_total',
  'ringfence_request_duration_seconds_bucket',
  'ringfence_request_duration_seconds_count',
  'ringfence_request_duration_seconds_sum',
  'ringfence_requests_total',
];

/** Gauges that are read from the database. */
const ofTheDatabase = [
  'ringfence_audit_unsent_age_seconds',
  'ringfence_audit_unsent_entries',
  'ringfence_database_bytes',
  'ringfence_deliveries',
  'ringfence_deliveries_dead',
  'ringfence_deliveries_expired',
  'ringfence_deliveries_paused',
  'ringfence_engine_behind_records',
  'ringfence_engine_lag_seconds',
  'ringfence_engine_paused',
  'ringfence_hold_resolutions_undelivered',
  'ringfence_holds_due',
  'ringfence_holds_open',
  'ringfence_notifications_dead',
  'ringfence_notifications_oldest_seconds',
  'ringfence_notifications_waiting',
  'ringfence_outcomes_unmatched',
  'ringfence_outcomes_waiting',
  'ringfence_quarantined_records',
  'ringfence_retention_age_seconds',
  'ringfence_table_bytes',
  'ringfence_webhook_failing',
  'ringfence_workspace_info',
];

/** Of a workspace that this process decides; it is given up when the database is away. */
const ofOwnership = 'ringfence_engine_memory_bytes';

it('gauges that are read from the database are missing while it is stopped', async () => {
  const home = await temporaryHome('metrics');
  const postgres = await startPostgres(home.path);
  const env = { DATABASE_URL: postgres.databaseUrl, RINGFENCE_MASTER_KEY: randomBytes(32).toString('base64') };
  const scene = await openScene({ policy: crashPolicy, database: 'external', env });
  onTestFinished(async () => {
    await scene.close();
    await postgres.stop();
    await home.remove();
  });
  const scrape = async (): Promise<string> => (await fetch(`${scene.service.managementUrl}/metrics`)).text();
  const namesIn = (text: string): readonly string[] => [...new Set(text.match(/^ringfence_\w+/gm))].toSorted();
  expect(await scene.tell('login', login({ client: 'c', session: 's' }))).toMatchObject({ status: 200 });
  await eventually('the login is decided', 20_000, async () =>
    /^ringfence_decisions_total\{.*\} 1$/m.test(await scrape()) ? true : undefined,
  );
  // The deciding thread tells its delay once a second.
  const all = [...ofTheProcess, ...ofTheDatabase, ofOwnership].toSorted();
  await expect.poll(async () => namesIn(await scrape())).toEqual(all);
  const whole = await scrape();
  expect(whole).toContain('ringfence_database_reachable{database="home"} 1\n');
  expect(whole).toMatch(/^ringfence_table_bytes\{database="home",table="workspace"\} \d{4,}$/m);
  expect(whole).toContain('ringfence_table_bytes{database="home",table="event"} ');
  expect(whole).not.toMatch(/table="\w+_\d+"/);

  await postgres.stop();
  const without = await eventually('the database is away', 20_000, async () => {
    const text = await scrape();
    return text.includes('ringfence_database_reachable{database="home"} 0\n') ? text : undefined;
  });
  expect(namesIn(without).filter((name) => name !== ofOwnership)).toEqual(ofTheProcess);
});
