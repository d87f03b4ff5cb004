import type { AllowedRange, PostgresOutbox } from '@ringfence/delivery';
import type { Platform } from '../platform/open-platform.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import { clockBy } from './clock.ts';
import { Dispatcher } from './dispatcher.ts';
import type { DispatcherMetrics } from './dispatcher-deps.ts';
import { ownListeners } from './transport/own-listeners.ts';
import { systemResolver } from './transport/resolve-host.ts';
import { WebhookTransport } from './transport/webhook-transport.ts';

export interface DeliverContext extends Platform, Tenancy {
  readonly outbox: PostgresOutbox;
  readonly metrics: DispatcherMetrics;
  readonly allowPrivateWebhooks: readonly AllowedRange[];
  /** The ports that this process listens on; webhooks are never sent to them. */
  readonly ownPorts: () => readonly number[];
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
    transport: new WebhookTransport({
      allow: context.allowPrivateWebhooks,
      isOwn: ownListeners(context.ownPorts),
      resolve: systemResolver(),
    }),
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
