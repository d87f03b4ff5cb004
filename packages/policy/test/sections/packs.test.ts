import { describe, expect, it } from 'vitest';
import { loadPolicy } from '../../src/check/load-policy.ts';
import type { Policy, PolicyFile } from '../../src/policy.ts';
import { packPath, withPacks } from '../../src/check/with-packs.ts';

const bursts = `
pack: { name: bursts, version: 3, title: Bursts, description: Much at once. }
params: { burstPayments: { type: int, default: 6, unit: payments, description: So many are a burst. } }
actions: { 6: Step-up }
features: { payments5m: { count: true, by: client.id, over: 5m, on: [operation] } }
rules:
  - reason: 1301
    name: Burst
    catches: Payments in a burst.
    falsePositives: Payrolls.
    on: [operation]
    when: payments5m >= params.burstPayments
    then: { action: 6 }
tests:
  - { name: never, given: [{ operation: { channelId: 1, account: { client: ana }, order: { amount: 1, currency: EUR } } }], expect: [] }
`;

function check(...texts: readonly string[]): ReturnType<typeof loadPolicy> {
  const files: readonly PolicyFile[] = texts.map((text, at) => ({ path: `own-${at}.yaml`, text }));
  return loadPolicy(withPacks(files, (name) => (name === 'bursts' ? bursts : undefined)));
}

function policyOf(...texts: readonly string[]): Policy {
  const result = check(...texts);
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.policy;
}

function mistakesOf(...texts: readonly string[]): readonly string[] {
  const result = check(...texts);
  return (result.ok ? result.warnings : result.errors).map(
    ({ file, message, suggestion }) => `${file}: ${message}${suggestion === undefined ? '' : ` => ${suggestion}`}`,
  );
}

describe('a pack that a policy uses', () => {
  it('adds its rules, and the definitions that they need', () => {
    const policy = policyOf('use: [bursts]');
    expect(policy.packs).toEqual([
      { name: 'bursts', version: 3, title: 'Bursts', description: 'Much at once.', file: packPath('bursts') },
    ]);
    expect(policy.rules[0]).toMatchObject({
      reason: 1301,
      pack: 'bursts',
      catches: 'Payments in a burst.',
      falsePositives: 'Payrolls.',
      mode: 'live',
    });
  });

  it('does not add its tests, which are about the pack alone', () => {
    expect(policyOf('use: [bursts]').tests).toEqual([]);
    expect(loadPolicy([{ path: packPath('bursts'), text: bursts }])).toMatchObject({
      ok: true,
      policy: { tests: [{ name: 'never' }] },
    });
  });

  it('is tuned without being edited: thresholds, modes, shares', () => {
    const tuned = policyOf(
      'use: [{ pack: bursts, mode: shadow }]\nparams: { burstPayments: 9 }\noverrides: { 1301: { share: 10%, cooldown: 1h per client } }',
    );
    expect(tuned.rules[0]).toMatchObject({ text: 'payments5m >= 9', mode: 'shadow', share: 1_000 });
    expect(policyOf('use: [{ pack: bursts, mode: off }]\noverrides: { 1301: { mode: live } }').rules[0]!.mode).toBe(
      'live',
    );
    expect(policyOf('use: [bursts]\noverrides: { 1301: { mode: off } }').rules[0]!.mode).toBe('off');
  });

  it("is compatible with the bank's own features and names", () => {
    const same = 'features: { payments5m: { count: true, by: client.id, over: 5m, on: [operation] } }';
    expect(policyOf(`use: [bursts]\nactions: { 6: Call us }\n${same}`).actions.get(6)).toBe('Call us');
    // Whole numbers are the same in any spelling.
    const param =
      'params: { burstPayments: { type: int, default: 6.0, unit: payments, description: So many are a burst. } }';
    expect(mistakesOf(`use: [bursts]\n${param}`)).toEqual([]);
    expect(mistakesOf(`use: [bursts]\n${same.replace('over: 5m', 'over: 6m')}`)).toEqual([
      'packs/bursts.yaml: the feature payments5m is declared twice: here and own-0.yaml, line 2 => another name',
    ]);
  });

  it('stays as it was stored', () => {
    const stored = { path: packPath('bursts'), text: bursts.replace('default: 6', 'default: 7') };
    const files = withPacks([{ path: 'own.yaml', text: 'use: [bursts]' }, stored], () => bursts);
    expect(files).toHaveLength(2);
    expect(loadPolicy(files)).toMatchObject({ ok: true, policy: { rules: [{ text: 'payments5m >= 7' }] } });
  });

  it.each([
    ['use: [burst]', 'own-0.yaml: there is no pack burst => ringfence policy pack list'],
    ['use: [bursts]\noverrides: { 9999: { mode: off } }', 'own-0.yaml: there is no rule 9999 to override => 1301'],
    ['use: [bursts]\noverrides: { 1302: { mode: off } }', 'own-0.yaml: there is no rule 1302 to override => 1301'],
    [
      'use: [bursts]\noverrides: { 1301: { when: true } }',
      'own-0.yaml: an override has no when => one of mode, share, cooldown, maxActions, score, priority',
    ],
    [
      'use: [bursts]\nparams: { burstPayment: 5 }',
      'own-0.yaml: there is no parameter burstPayment to set => burstPayments',
    ],
  ])('%s', (text, mistake) => {
    expect(mistakesOf(text)).toContain(mistake);
  });
});
