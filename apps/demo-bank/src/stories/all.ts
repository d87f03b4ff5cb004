import type { Story } from '../play/story.ts';
import { accountTakeover } from './account-takeover.ts';
import { burstOfTransfers } from './burst-of-transfers.ts';
import { mulePayee } from './mule-payee.ts';
import { operationAfterLogout } from './operation-after-logout.ts';
import { operationWithoutSession } from './operation-without-session.ts';
import { sessionHijack } from './session-hijack.ts';
import { stolenPasswords } from './stolen-passwords.ts';
import { trialPayment } from './trial-payment.ts';

/** In order of their starts. Each story has its own users, sessions, addresses and accounts. */
export const stories: readonly Story[] = [
  accountTakeover,
  burstOfTransfers,
  mulePayee,
  sessionHijack,
  operationWithoutSession,
  operationAfterLogout,
  trialPayment,
  stolenPasswords,
];
