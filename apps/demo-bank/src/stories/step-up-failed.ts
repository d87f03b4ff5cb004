import { storyNetworks } from '../play/addresses.ts';
import type { Story } from '../play/story.ts';

const user = 'ximena';
const session = 'ximena-1';
const payee = { bank: 'BANK-M', account: '800000000000000005' };

export const stepUpFailed: Story = {
  name: 'step-up failed',
  tells: 'a thief with the password of ximena fails the step-up; the next payment closes the session',
  steps: [
    {
      atMs: 0,
      user,
      session,
      does: 'logIn',
      ip: `${storyNetworks.stepUps}.102`,
      phone: 'the telephone of a thief',
    },
    { atMs: 400, user, session, does: 'operate', category: 'transfer', amount: '7000.00', payee },
    { atMs: 1_200, user, session, does: 'confirm', method: 'passkey', isPassed: false },
    { atMs: 1_600, user, session, does: 'operate', category: 'transfer', amount: '900.00', payee },
  ],
  expected: [
    { reason: 953, action: 10, user, executed: true },
    { reason: 954, action: 2, user, executed: true },
  ],
};
