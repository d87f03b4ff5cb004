import type { Clock } from '../../../src/deliver/clock.ts';
import { systemResolver } from '../../../src/deliver/transport/resolve-host.ts';
import { WebhookTransport } from '../../../src/deliver/transport/webhook-transport.ts';
import type { MailSettings } from '../../../src/notify/mail-server.ts';
import { Notifier } from '../../../src/notify/notifier.ts';
import { createDestination, type Destination, type WrittenAddress } from '../../../src/notifications/destinations.ts';
import type { DestinationSettings } from '../../../src/notifications/notification-settings.ts';
import { readBacklogs } from '../../../src/platform/observability/backlog.ts';
import type { ManagementKit } from '../../api/support/management-kit.ts';

/** A clock that only a test moves. Its timers never ring: a test calls what they would. */
export interface HandClock extends Clock {
  pass(ms: number): void;
}

export function handClock(startMs = Date.now()): HandClock {
  let atMs = startMs;
  return { nowMs: () => atMs, machineMs: () => atMs, after: () => () => {}, pass: (ms) => void (atMs += ms) };
}

export interface NotifyKit {
  readonly clock: HandClock;
  readonly attempts: readonly string[];
  readonly warned: readonly string[];
  add(address: WrittenAddress, settings: Partial<DestinationSettings>): Promise<Destination>;
  /** Another process on the same outbox. */
  start(mail?: MailSettings): Notifier;
  /** Looks and sends once, and waits until every attempt is recorded. */
  round(notifier: Notifier): Promise<void>;
}

export const mailOf = (port: number, change: Partial<MailSettings> = {}): MailSettings => ({
  host: '127.0.0.1',
  port,
  tls: 'none',
  user: undefined,
  password: undefined,
  from: 'ringfence@bank.example',
  caPem: undefined,
  ...change,
});

/** What tells people, over the database of a kit, with a clock that a test moves. */
export function notifyKit(kit: ManagementKit, clock = handClock()): NotifyKit {
  const { pool, subjects, log, workspace } = kit;
  const rules = { resolve: systemResolver(), allow: kit.deps.allowPrivateWebhooks, isOwn: () => false };
  const attempts: string[] = [];
  const warned: string[] = [];
  return {
    clock,
    attempts,
    warned,
    add: (address, settings) =>
      createDestination(pool, workspace, {
        name: 'desk',
        ...address,
        settings: {
          events: {},
          digestMinutes: 0,
          recovery: true,
          showPersonal: false,
          language: 'en',
          ...settings,
        },
        by: 'test',
        nowMs: clock.nowMs(),
        rules: { allow: kit.deps.allowPrivateWebhooks, hasMail: true },
      }),
    start: (mail) =>
      new Notifier({
        pool,
        subjects,
        workspaces: () => kit.deps.registry.all(),
        byId: (id) => kit.deps.registry.byId(id),
        backlogs: () => readBacklogs(pool, log, clock.nowMs()),
        clock,
        random: () => 0.5,
        transport: new WebhookTransport(rules),
        rules,
        mail,
        consoleOrigin: 'https://fraud.bank.example',
        attempted: (kind, result) => attempts.push(`${kind} ${result}`),
        logger: { info: (_, message) => warned.push(message), warn: (_, message) => warned.push(message) },
      }),
    round: async (notifier) => {
      await notifier.look();
      await notifier.send();
      await notifier.idle();
    },
  };
}
