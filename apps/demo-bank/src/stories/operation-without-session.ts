import type { Story } from '../play/story.ts';

const user = 'javier';

export const operationWithoutSession: Story = {
  name: 'operation without session',
  tells: 'a transfer of javier names a session without a login',
  steps: [
    {
      atMs: 0,
      user,
      session: 'forged-1',
      does: 'operate',
      category: 'transfer',
      amount: '700.00',
      payee: { bank: 'BANK-G', account: '500000000000000001' },
    },
  ],
  // The bank does not know the session, so it responds that it cannot close it.
  expected: [{ reason: 101, action: 2, user, executed: false }],
};
