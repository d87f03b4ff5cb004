import { storyNetworks } from '../play/addresses.ts';
import type { Step, Story } from '../play/story.ts';

/** Victims who do not know each other, all called by the same fraudster. */
const victims = ['diego', 'elena', 'fabian', 'gloria', 'hector'];
const mule = { bank: 'BANK-F', account: '300000000000000001' };

function pays(user: string, index: number): readonly Step[] {
  const session = `${user}-1`;
  const atMs = index * 600;
  return [
    { atMs, user, session, does: 'logIn', ip: `${storyNetworks.mules}.${31 + index}` },
    {
      atMs: atMs + 200,
      user,
      session,
      does: 'operate',
      category: 'transfer',
      amount: `${1_500 + index * 10}.00`,
      payee: mule,
    },
    { atMs: atMs + 400, user, session, does: 'logOut' },
  ];
}

export const mulePayee: Story = {
  name: 'mule payee',
  tells: 'five clients pay the same new account; the fifth payment is held',
  steps: victims.flatMap(pays),
  expected: [{ reason: 401, action: 7, user: 'hector', executed: true }],
};
