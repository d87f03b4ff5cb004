import type { PolicyRequest } from '../../api/operations.generated.ts';
import type { Tone } from '../../parts/badge.tsx';

/** How each state of a request is coloured. */
export const requestTones: Readonly<Record<PolicyRequest['state'], Tone>> = {
  open: 'warn',
  emergency: 'bad',
  approved: 'good',
  refused: 'bad',
  withdrawn: 'plain',
  expired: 'bad',
  replaced: 'plain',
};
