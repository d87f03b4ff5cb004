import { expect, it } from 'vitest';
import { changingCommands } from '../../src/cli/changing-commands.ts';
import { everyCommand } from '../../src/cli/every-command.ts';

/** Commands that change nothing in an installation, or that run or restore the installation itself. */
const others = `
  audit export, audit verify, client list, deliveries list, device-key list, doctor, events explain, events facts, events tail, health,
  history list, holds list, streams list, intel remove, intel status, intel update, key list, label list, list export, list show, log status, migrate, model inputs, outcomes,
  policy check,
  policy diff, policy list, policy pack add, policy pack list, policy pack show, policy starts, policy test, replay, restore,
  sealed verify, serve, size, suppress list, token list, workspace list, workspace show`
  .trim()
  .split(/,\s+/);

it('every command is either recorded in the audit log or listed as not changing anything', async () => {
  const commands = (await everyCommand()).map(({ words }) => words);
  const known = new Set([...Object.keys(changingCommands), ...others]);
  expect(commands.filter((words) => !known.has(words))).toEqual([]);
  expect(Object.keys(changingCommands).filter((words) => !commands.includes(words))).toEqual([]);
});
