import { actions } from '@ringfence/client';
import { customActions } from '../bank/bank.ts';
import type { Arrival } from '../bank/webhook-server.ts';
import type { ExpectedAction, Story } from './story.ts';

/** One line of the final table. */
export interface Finding {
  readonly story: string;
  readonly expected: string;
  readonly arrived: string;
  readonly isRight: boolean;
}

/**
 * Compares the received actions with the stories: every expected action exactly as often as expected, with the expected
 * response, and no other one.
 */
export function judge(stories: readonly Story[], arrivals: readonly Arrival[]): readonly Finding[] {
  const left = new Set(arrivals);
  const findings = stories.flatMap((story) =>
    story.expected.map((expected): Finding => {
      const matching = [...left].filter((arrival) => isOf(expected, arrival));
      for (const arrival of matching) left.delete(arrival);
      const [only] = matching;
      return {
        story: story.name,
        expected: describeExpected(expected),
        arrived: only === undefined ? 'nothing' : `${times(matching.length)}, ${describeAnswer(only)}`,
        isRight:
          matching.length === timesOf(expected) && matching.every(({ executed }) => executed === expected.executed),
      };
    }),
  );
  const unexpected = [...left].map((arrival): Finding => ({
    story: 'anybody else',
    expected: 'nothing',
    arrived: `${arrival.user ?? 'somebody unknown'}: ${nameOfAction(arrival.action.action)} (rule ${arrival.action.reason})`,
    isRight: false,
  }));
  if (unexpected.length > 0) return [...findings, ...unexpected];
  return [...findings, { story: 'anybody else', expected: 'nothing', arrived: 'nothing', isRight: true }];
}

function isOf(expected: ExpectedAction, { action, user }: Arrival): boolean {
  return action.reason === expected.reason && action.action === expected.action && user === expected.user;
}

/** How often the action must arrive. */
export function timesOf({ times: count = 1 }: ExpectedAction): number {
  return count;
}

function describeExpected(expected: ExpectedAction): string {
  const { reason, action, user } = expected;
  const count = timesOf(expected);
  return `${user}: ${nameOfAction(action)}${count === 1 ? '' : `, ${times(count)}`} (rule ${reason})`;
}

export function describeAnswer({ executed, message }: Pick<Arrival, 'executed' | 'message'>): string {
  return `${executed ? 'executed' : 'not executed'}: ${message}`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

const actionNames: Readonly<Record<number, string>> = {
  [actions.blockUser]: 'block user',
  [actions.closeSession]: 'close session',
  [actions.sendEmail]: 'send e-mail',
  [actions.sendSms]: 'send SMS',
  [actions.sendEmailAndSms]: 'send e-mail and SMS',
  [customActions.confirm]: 'ask to confirm',
  [customActions.holdPayment]: 'hold payment',
  [customActions.releasePayment]: 'release payment',
  [customActions.rejectPayment]: 'reject payment',
  [customActions.confirmOnDevice]: 'confirm on this device',
};

export function nameOfAction(action: number): string {
  return actionNames[action] ?? `action ${action}`;
}
