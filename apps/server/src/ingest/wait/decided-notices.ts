import type { Notifications } from '@ringfence/log';
import { decidedChannel, type DecidedNotice, parseDecidedNotice } from '../../records/decided-notice.ts';

/** Subscribes to the notices of how far workspaces are decided, by any process. Subscribes at the first `start`. */
export class DecidedNotices {
  readonly #notifications: Notifications;
  readonly #hear: (notice: DecidedNotice) => void;
  #hearNoMore: (() => void) | undefined;

  constructor(notifications: Notifications, hear: (notice: DecidedNotice) => void) {
    this.#notifications = notifications;
    this.#hear = hear;
  }

  /** Idempotent. */
  start(): void {
    this.#hearNoMore ??= this.#notifications.hear(decidedChannel, {
      told: (payload) => {
        const notice = parseDecidedNotice(payload);
        if (notice !== undefined) this.#hear(notice);
      },
    });
  }

  close(): void {
    this.#hearNoMore?.();
  }
}
