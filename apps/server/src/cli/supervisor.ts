import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { secondMs } from '@ringfence/contract';
import type { Logger } from 'pino';
import type { Environment } from '../config/variable-names.ts';

const run = promisify(execFile);

/** It sends a datagram, and waits until systemd has read it. */
const sendMsMax = 5 * secondMs;
/** So often in each `WatchdogSec`: a message that is lost or late ends no healthy service. */
const signsPerWatchdog = 4;
/** A shorter interval would be busy with starting programs. */
const everyMsMin = secondMs / 2;
const absentMessage =
  'systemd waits for notifications, but the program systemd-notify cannot be run: install it, or use Type=exec without WatchdogSec';

export type SupervisorState = 'READY=1' | 'WATCHDOG=1' | 'STOPPING=1';

/**
 * Tells systemd how this service is, as sd_notify(3) does, if it asks for it (`Type=notify`, `WatchdogSec`).
 *
 * Node.js has no Unix datagram sockets, so `systemd-notify` sends. A message counts only while its sender is alive, and
 * since systemd 246 that program waits until its message was read. The unit needs `NotifyAccess=all`, because the sender
 * is not the main process. If no program can be started any more, systemd restarts the service, which is right.
 */
export class Supervisor {
  readonly #environment: Environment;
  readonly #logger: Pick<Logger, 'warn'>;
  #watching: NodeJS.Timeout | undefined;
  #isAbsent = false;

  constructor(environment: Environment, logger: Pick<Logger, 'warn'>) {
    this.#environment = environment;
    this.#logger = logger;
  }

  /** Resolves when it was sent. Never rejects: a service that cannot say that it is well goes on. */
  async tell(state: SupervisorState): Promise<void> {
    if (this.#environment['NOTIFY_SOCKET'] === undefined || this.#isAbsent) return;
    const env = { ...this.#environment };
    await run('systemd-notify', [state], { env, timeout: sendMsMax }).catch((error: unknown) => {
      this.#isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
      this.#logger.warn({ err: error, state }, this.#isAbsent ? absentMessage : 'systemd could not be notified');
    });
  }

  /** Says that the service is alive, as long as it is. Silence for `WatchdogSec` lets systemd restart it. */
  watch(isAlive: () => Promise<boolean>): void {
    const { WATCHDOG_USEC: limit, WATCHDOG_PID: pid = String(process.pid) } = this.#environment;
    const everyMs = Number(limit) / 1_000 / signsPerWatchdog;
    if (!(everyMs >= everyMsMin) || pid !== String(process.pid)) return;
    this.#watching = setInterval(() => {
      void isAlive().then((alive) => (alive ? this.tell('WATCHDOG=1') : undefined));
    }, everyMs);
  }

  /** The last word: from then on systemd watches only that the stop ends. */
  async stopping(): Promise<void> {
    clearInterval(this.#watching);
    await this.tell('STOPPING=1');
  }
}
