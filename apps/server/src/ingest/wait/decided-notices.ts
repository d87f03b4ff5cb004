import type { Notifications } from '@ringfence/log';
import { decidedChannel, type DecidedNotice, parseDecidedNotice } from '../../records/decided-notice.ts';

/** Hears how far workspaces are decided, whichever process decides them: from the first time on that somebody waits for it. */
export class DecidedNotices {
  readonly #notifications: Notifications;
  readonly #hear: (notice: DecidedNotice) => void;
  #hearNoMore: (() => void) | undefined;

  constructor(notifications: Notifications, hear: (notice: DecidedNotice) => void) {
    this.#notifications = notifications;
    this.#hear = hear;
  }

  /** Call as often as you like. */
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
