import type { Story } from '../play/story.ts';
import { accountTakeover } from './account-takeover.ts';
import { burstOfTransfers } from './burst-of-transfers.ts';
import { heldAndReleased } from './held-and-released.ts';
import { heldAndRepeated } from './held-and-repeated.ts';
import { heldUntilDeadline } from './held-until-deadline.ts';
import { mulePayee } from './mule-payee.ts';
import { operationAfterLogout } from './operation-after-logout.ts';
import { operationWithoutSession } from './operation-without-session.ts';
import { sessionHijack } from './session-hijack.ts';
import { stepUpFailed } from './step-up-failed.ts';
import { stepUpPassed } from './step-up-passed.ts';
import { stolenPasswords } from './stolen-passwords.ts';
import { trialPayment } from './trial-payment.ts';

/**
 * In order of their starts. Each story has its own users, sessions, addresses and accounts. Held payments begin first:
 * their deadline and the time to undo a decision pass while the others play.
 */
export const stories: readonly Story[] = [
  heldUntilDeadline,
  heldAndReleased,
  heldAndRepeated,
  accountTakeover,
  burstOfTransfers,
  mulePayee,
  sessionHijack,
  operationWithoutSession,
  operationAfterLogout,
  trialPayment,
  stolenPasswords,
  stepUpPassed,
  stepUpFailed,
];
