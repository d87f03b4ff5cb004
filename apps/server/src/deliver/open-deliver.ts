import type { PostgresOutbox } from '@ringfence/delivery';
import type { Platform } from '../platform/open-platform.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import { clockBy } from './clock.ts';
import { Dispatcher } from './dispatcher.ts';
import type { DispatcherMetrics } from './dispatcher-deps.ts';
import type { ConnectionRules } from './transport/guarded-connector.ts';
import { WebhookTransport } from './transport/webhook-transport.ts';

export interface DeliverContext extends Platform, Tenancy {
  readonly outbox: PostgresOutbox;
  readonly metrics: DispatcherMetrics;
  readonly rules: ConnectionRules;
  /** Whether this process sends actions. Otherwise the dispatcher only sends tests of webhooks. */
  readonly sends: boolean;
}

/** The dispatcher, which sends actions to webhooks. */
export function openDeliver(context: DeliverContext): Dispatcher {
  const { outbox, registry, subjects, log, clock, metrics, logger, stages } = context;
  const dispatcher = new Dispatcher({
    outbox,
    registry,
    subjects,
    log,
    transport: new WebhookTransport(context.rules),
    clock: clockBy(clock.read),
    random: Math.random,
    metrics,
    logger,
  });
  if (context.sends) {
    dispatcher.start();
    stages.started(
      'dispatcher',
      () => dispatcher.stop(),
      () => dispatcher.giveUp(),
    );
  }
  return dispatcher;
}
