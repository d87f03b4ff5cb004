import { storyNetworks } from '../play/addresses.ts';
import type { Story } from '../play/story.ts';

const user = 'sofia';
const session = 'sofia-1';
const payee = { bank: 'BANK-I', account: '800000000000000001' };
const amount = '25000.00';

export const heldAndReleased: Story = {
  name: 'held and released',
  tells: 'a large payment of sofia abroad is held; the analyst releases it, and has 30 s to undo that',
  steps: [
    { atMs: 0, user, session, does: 'logIn', ip: `${storyNetworks.holds}.91` },
    { atMs: 400, user, session, does: 'operate', category: 'abroad', amount, payee },
    {
      atMs: 1_600,
      user,
      session,
      does: 'decide',
      reason: 961,
      amount,
      members: 1,
      decision: 'release',
      comment: 'Called sofia: the payment is hers.',
    },
  ],
  expected: [
    { reason: 961, action: 7, user, executed: true },
    { reason: 961, action: 8, user, executed: true },
  ],
};
