import { storyNetworks } from '../play/addresses.ts';
import type { Story } from '../play/story.ts';

const user = 'ulises';
const session = 'ulises-1';
const payee = { bank: 'BANK-J', account: '800000000000000002' };

export const heldUntilDeadline: Story = {
  name: 'held until the deadline',
  tells:
    'ulises buys gift cards for a swindler; the payment is held, and after a minute without a decision it is rejected',
  steps: [
    { atMs: 0, user, session, does: 'logIn', ip: `${storyNetworks.holds}.92` },
    { atMs: 400, user, session, does: 'operate', category: 'giftCards', amount: '8000.00', payee },
  ],
  expected: [
    { reason: 962, action: 7, user, executed: true },
    { reason: 962, action: 9, user, executed: true },
  ],
};
