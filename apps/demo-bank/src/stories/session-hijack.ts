import { storyNetworks } from '../play/addresses.ts';
import type { Story } from '../play/story.ts';

const user = 'irene';
const session = 'irene-1';

export const sessionHijack: Story = {
  name: 'session hijack',
  tells: 'the session of irene is used from a second address while she is logged in',
  steps: [
    { atMs: 0, user, session, does: 'logIn', ip: `${storyNetworks.hijack}.41` },
    { atMs: 400, user, session, does: 'operate', category: 'balance' },
    { atMs: 1_200, user, session, does: 'logIn', ip: `${storyNetworks.hijack}.42` },
  ],
  expected: [{ reason: 104, action: 2, user, executed: true }],
};
