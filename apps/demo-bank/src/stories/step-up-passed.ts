import { storyNetworks } from '../play/addresses.ts';
import type { Story } from '../play/story.ts';

const user = 'wendy';
const phone = 'the telephone of wendy';
const payee = { bank: 'BANK-L', account: '800000000000000004' };

export const stepUpPassed: Story = {
  name: 'step-up passed',
  tells:
    'wendy confirms a payment with her passkey; then her telephone is trusted, and the next payment needs no step-up',
  steps: [
    { atMs: 0, user, session: 'wendy-1', does: 'logIn', ip: `${storyNetworks.stepUps}.101`, phone },
    { atMs: 400, user, session: 'wendy-1', does: 'operate', category: 'transfer', amount: '6000.00', payee },
    { atMs: 1_200, user, session: 'wendy-1', does: 'confirm', method: 'passkey', isPassed: true },
    { atMs: 1_400, user, session: 'wendy-1', does: 'logOut' },
    { atMs: 1_600, user, session: 'wendy-2', does: 'logIn', ip: `${storyNetworks.stepUps}.101`, phone },
    { atMs: 1_800, user, session: 'wendy-2', does: 'operate', category: 'transfer', amount: '6500.00', payee },
  ],
  // Only the first payment needs a step-up; the second one is known to come from a trusted device.
  expected: [
    { reason: 953, action: 10, user, executed: true },
    { reason: 955, action: 3, user, executed: true },
  ],
};
