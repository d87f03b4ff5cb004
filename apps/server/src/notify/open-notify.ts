import { clockBy } from '../deliver/clock.ts';
import type { ConnectionRules } from '../deliver/transport/guarded-connector.ts';
import { WebhookTransport } from '../deliver/transport/webhook-transport.ts';
import { readBacklogs } from '../platform/observability/backlog.ts';
import type { Platform } from '../platform/open-platform.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import type { MailSettings } from './mail-server.ts';
import { Notifier } from './notifier.ts';
import { type DestinationTest, testDestination } from './test-destination.ts';

export interface NotifyContext extends Platform, Tenancy {
  readonly rules: ConnectionRules;
  readonly mail: MailSettings | undefined;
  readonly consoleOrigin: string | undefined;
  readonly metrics: { notificationAttempted(kind: string, result: string): void };
  /** Whether this process tells. Otherwise it only sends tests. */
  readonly sends: boolean;
}

export interface Notify {
  readonly sendTest: DestinationTest;
  readonly hasMail: boolean;
}

/** Starts what tells people. */
export function openNotify(context: NotifyContext): Notify {
  const { pool, cell, log, clock, subjects, registry, rules, mail, logger, stages, consoleOrigin, metrics } = context;
  const transport = new WebhookTransport(rules);
  const time = clockBy(clock.read);
  const notifier = new Notifier({
    pool,
    cell,
    subjects,
    workspaces: () => registry.all(),
    byId: (id) => registry.byId(id),
    backlogs: () => readBacklogs(pool, log, clock.read()),
    clock: time,
    random: Math.random,
    transport,
    rules,
    mail,
    consoleOrigin,
    attempted: (kind, result) => metrics.notificationAttempted(kind, result),
    logger,
  });
  if (context.sends) notifier.start();
  stages.started(
    'notifier',
    () => notifier.stop(),
    () => notifier.giveUp(),
  );
  const sender = { transport, rules, mail, machineMs: () => time.machineMs() };
  return { sendTest: testDestination({ ...sender, consoleOrigin }), hasMail: mail !== undefined };
}
