import { storyNetworks } from '../play/addresses.ts';
import type { Step, Story } from '../play/story.ts';

/** Users whose passwords were leaked elsewhere. */
const victims = ['noe', 'olga', 'pablo', 'quetzal', 'rosa'];
const robot = `${storyNetworks.robot}.81`;

const logsIn = (user: string, index: number): Step => ({
  atMs: index * 300,
  user,
  session: `${user}-robot`,
  does: 'logIn',
  ip: robot,
  hasDevice: false,
});

export const stolenPasswords: Story = {
  name: 'stolen passwords',
  tells: 'a robot without a device tries passwords from one address; the fifth correct one triggers the rule',
  steps: victims.map(logsIn),
  expected: [{ reason: 207, action: 2, user: 'rosa', executed: true }],
};
