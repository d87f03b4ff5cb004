import { hourMs } from '@ringfence/contract';
import { expect, it } from 'vitest';
import { parseAssignments } from '../../../src/cli/assignments.ts';
import { mergePatch } from '../../../src/tenancy/workspaces/merge-patch.ts';
import { engineSettings, parseDefinition, settingsDigest } from '../../../src/tenancy/workspaces/settings.ts';

function parsed(...args: readonly string[]) {
  const settings = mergePatch({}, parseAssignments(args, { channels: new Map(), settings: {} }, '/').settings);
  return parseDefinition({ name: 'acme', environment: 'development', allow: [] }, { settings, channels: [] });
}

function definition(...args: readonly string[]) {
  const result = parsed(...args);
  if (!result.ok) throw new Error(result.mistakes.map(({ message }) => message).join(' '));
  return result.definition;
}

it('settings of holds are set by currency, and refused for anything else', () => {
  expect(definition('holds.secondAbove.MXN=10000', 'holds.secondAbove.USD=0').settings.holds).toEqual({
    secondAbove: { MXN: 10_000, USD: 0 },
  });
  for (const wrong of ['holds.secondAbove.mxn=1', 'holds.secondAbove.MXN=-1', 'holds.heldAgainHours=721'])
    expect(parsed(wrong).ok, wrong).toBe(false);
});

it('the engine gets the time of a repeat after a rejection only where it is not the default', () => {
  const usual = settingsDigest(engineSettings(definition('blockHours=24')));
  expect(settingsDigest(engineSettings(definition('holds.heldAgainHours=24', 'holds.secondAbove.MXN=1')))).toEqual(
    usual,
  );
  expect(engineSettings(definition('holds.heldAgainHours=2')).heldAgainMs).toBe(2 * hourMs);
});
