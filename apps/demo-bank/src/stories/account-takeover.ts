import { storyNetworks } from '../play/addresses.ts';
import type { Story } from '../play/story.ts';

const user = 'carla';
const home = `${storyNetworks.takeover}.11`;
const elsewhere = `${storyNetworks.elsewhere}.12`;
const payees = {
  rent: { bank: 'BANK-B', account: '100000000000000001' },
  mother: { bank: 'BANK-C', account: '100000000000000002' },
  thief: { bank: 'BANK-D', account: '100000000000000003' },
};
const hourMs = 3_600_000;

/** Carla's usual payments, reported late: her habit is some hours old. */
const habit = { user, session: 'carla-1', does: 'operate', category: 'transfer' } as const;

export const accountTakeover: Story = {
  name: 'account takeover',
  tells: 'a thief has the password of carla, and pays a stranger far more than she ever paid',
  steps: [
    { atMs: 0, user, session: 'carla-1', does: 'logIn', ip: home },
    { atMs: 200, ...habit, amount: '450.00', payee: payees.rent, datedMs: -5 * hourMs },
    { atMs: 400, ...habit, amount: '520.50', payee: payees.mother, datedMs: -4 * hourMs },
    { atMs: 600, ...habit, amount: '480.00', payee: payees.rent, datedMs: -3 * hourMs },
    { atMs: 800, user, session: 'carla-1', does: 'logOut' },
    { atMs: 1_600, user, session: 'carla-2', does: 'logIn', ip: elsewhere },
    {
      atMs: 2_400,
      user,
      session: 'carla-2',
      does: 'operate',
      category: 'transfer',
      amount: '25000.00',
      payee: payees.thief,
    },
  ],
  expected: [
    { reason: 201, action: 1, user, executed: true },
    { reason: 201, action: 4, user, executed: true },
  ],
};
