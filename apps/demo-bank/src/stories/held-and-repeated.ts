import { storyNetworks } from '../play/addresses.ts';
import type { Story } from '../play/story.ts';

const user = 'valeria';
const session = 'valeria-1';
const payee = { bank: 'BANK-K', account: '800000000000000003' };
const amount = '21000.00';
/** The same payment under a reference of its own: a repeat. */
const payment = { user, session, does: 'operate', category: 'abroad', amount, payee } as const;

export const heldAndRepeated: Story = {
  name: 'held and repeated',
  tells: 'the payment of valeria is held, and she sends it again; the analyst rejects both at once',
  steps: [
    { atMs: 0, user, session, does: 'logIn', ip: `${storyNetworks.holds}.93` },
    { atMs: 400, ...payment },
    { atMs: 1_200, ...payment },
    {
      atMs: 2_400,
      user,
      session,
      does: 'decide',
      reason: 961,
      amount,
      members: 2,
      decision: 'reject',
      comment: 'Called valeria: she was talked into it.',
    },
  ],
  expected: [
    { reason: 961, action: 7, user, executed: true, times: 2 },
    { reason: 961, action: 9, user, executed: true, times: 2 },
  ],
};
