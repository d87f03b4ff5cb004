import { storyNetworks } from '../play/addresses.ts';
import type { Step, Story } from '../play/story.ts';

const user = 'bruno';
const session = 'bruno-1';

/** Four accounts in rotation: five would trigger another rule, "payments to many payees". */
const accounts = ['200000000000000001', '200000000000000002', '200000000000000003', '200000000000000004'];

const transfers: readonly Step[] = Array.from({ length: 6 }, (_, index) => ({
  atMs: 400 + index * 250,
  user,
  session,
  does: 'operate',
  category: 'transfer',
  amount: `${900 + index}.00`,
  payee: { bank: 'BANK-E', account: accounts[index % accounts.length] ?? '' },
}));

export const burstOfTransfers: Story = {
  name: 'burst of transfers',
  tells: 'a script empties the account of bruno, transfer by transfer',
  steps: [{ atMs: 0, user, session, does: 'logIn', ip: `${storyNetworks.burst}.21` }, ...transfers],
  expected: [{ reason: 301, action: 2, user, executed: true }],
};
