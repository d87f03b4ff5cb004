import { storyNetworks } from '../play/addresses.ts';
import type { Story } from '../play/story.ts';

const user = 'mariana';
const session = 'mariana-1';
const payee = { bank: 'BANK-H', account: '700000000000000001' };

export const trialPayment: Story = {
  name: 'trial payment',
  tells: 'a test payment of one peso, then four thousand to the same account',
  steps: [
    { atMs: 0, user, session, does: 'logIn', ip: `${storyNetworks.trial}.71` },
    { atMs: 400, user, session, does: 'operate', category: 'transfer', amount: '1.00', payee },
    { atMs: 1_200, user, session, does: 'operate', category: 'transfer', amount: '4000.00', payee },
  ],
  expected: [{ reason: 307, action: 6, user, executed: true }],
};
