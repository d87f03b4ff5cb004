import type { HoldDecision } from '../play/story.ts';
import { until } from '../play/until.ts';
import type { Management } from './management.ts';

/** What the analyst's token may do. */
export const analystScopes = ['holds:read', 'holds:decide'] as const;

/** Decides held payments over the management API, as the bank's own tool for its analysts would. */
export class Analyst {
  readonly #management: Management;

  /** @param management with a token that has `analystScopes` */
  constructor(management: Management) {
    this.#management = management;
  }

  /** Waits until the payment and its repeats are held, then decides them. It can be undone for 30 seconds. */
  async decide({ reason, amount, members, decision, comment }: HoldDecision, signal: AbortSignal): Promise<void> {
    let id = '';
    const isHeld = async (): Promise<boolean> => {
      const holds = await this.#management.openHolds();
      const found = holds.find(
        (hold) => hold.reason === reason && Number(hold.amount) === Number(amount) && hold.members === members,
      );
      id = found?.id ?? '';
      return found !== undefined;
    };
    await until(isHeld, `rule ${reason} did not hold the payment of ${amount} with ${members} operations`, signal);
    await this.#management.decide(id, decision, comment);
  }
}
