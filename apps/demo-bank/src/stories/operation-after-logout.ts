import { storyNetworks } from '../play/addresses.ts';
import type { Story } from '../play/story.ts';

const user = 'karla';
const session = 'karla-1';
const payee = { bank: 'BANK-B', account: '600000000000000001' };

export const operationAfterLogout: Story = {
  name: 'operation long after logout',
  tells: 'the session of karla is used again after her logout',
  steps: [
    { atMs: 0, user, session, does: 'logIn', ip: `${storyNetworks.logout}.61` },
    { atMs: 300, user, session, does: 'operate', category: 'transfer', amount: '300.00', payee },
    { atMs: 600, user, session, does: 'logOut' },
    // What arrives within a minute of the logout may have been made before it.
    { atMs: 62_000, user, session, does: 'operate', category: 'transfer', amount: '310.00', payee },
  ],
  // She has logged out: there is no session to close.
  expected: [{ reason: 102, action: 2, user, executed: false }],
};
