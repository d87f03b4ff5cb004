import { globSync, readFileSync } from 'node:fs';
import { rulesTestedInPacks, runPolicyTests, unfiredRules, unmissedRules } from '@ringfence/engine';
import { loadPolicy, type Policy, type PolicyFile, withPacks } from '@ringfence/policy';
import { describe, expect, it } from 'vitest';
import { packNames, packText } from '../../../src/policies/policy-packs.ts';
import { packsReference } from '../../../src/policies/packs-page.ts';

function policyOf(files: readonly PolicyFile[]): Policy {
  const result = loadPolicy(withPacks(files, packText));
  if (!result.ok) throw new Error(JSON.stringify(result.errors, undefined, 1));
  expect(result.warnings).toEqual([]);
  return result.policy;
}

/** The starter policy with one additional file. */
function withStarter(text: string): Policy {
  const starter = new URL('../../../policies/starter/', import.meta.url);
  const own = globSync('*.yaml', { cwd: starter }).map((path) => ({
    path,
    text: readFileSync(new URL(path, starter), 'utf8'),
  }));
  return policyOf([...own, { path: 'use.yaml', text }]);
}

const packs = packNames().map((name) => {
  const policy = policyOf([{ path: `packs/${name}.yaml`, text: packText(name)! }]);
  return { name, policy, reports: runPolicyTests(policy) };
});
const rules = packs.flatMap(({ policy }) => policy.rules);

describe.each(packs)('the pack $name', ({ name, policy, reports }) => {
  it('has the name of its file', () => {
    expect(policy.packs.map((pack) => pack.name)).toEqual([name]);
  });

  it.each(reports)('$name', ({ differences }) => {
    expect(differences).toEqual([]);
  });

  it('has a test that fires each rule, and a near miss', () => {
    expect(unfiredRules(policy, reports)).toEqual([]);
    expect(unmissedRules(policy, reports)).toEqual([]);
    for (const { reason } of policy.rules) {
      const named = reports.filter((report) => report.name.startsWith(`${reason}`));
      expect(named.some((report) => report.fired.includes(reason))).toBe(true);
      expect(named.some((report) => !report.fired.includes(reason))).toBe(true);
    }
  });
});

describe('the packs', () => {
  it('contain more than sixty rules, each with what it catches and whom it may wrongly hit', () => {
    expect(rules.length).toBeGreaterThanOrEqual(60);
    expect(
      rules.filter(({ catches, falsePositives }) => catches === undefined || falsePositives === undefined),
    ).toEqual([]);
    expect(rules.filter(({ reason }) => reason < 1_000 || reason > 1_999)).toEqual([]);
    expect(new Set(rules.map(({ reason }) => reason)).size).toBe(rules.length);
  });

  it('give each rule a score', () => {
    expect(rules.filter(({ score }) => score < 10 || score > 90)).toEqual([]);
  });

  it('say what happened in English and Spanish, as the starter does, in less than 160 characters', () => {
    const all = [...rules, ...withStarter('tests: []\n').rules];
    expect(all.filter(({ summary }) => summary.map(({ language }) => language).join(' ') !== 'en es')).toEqual([]);
    for (const { reason, summary } of all) {
      for (const { template } of summary) {
        const typical = template.replaceAll(/\{\{.*?\}\}/g, '1234567890');
        expect(`${reason}: ${typical}`.length).toBeLessThan(160);
        expect(typical).not.toBe(template);
      }
    }
  });

  it('treat an account as dormant after the time that the policy sets', () => {
    const pay = (at: string, session: string): string =>
      `{ at: ${at}, operation: { channelId: 1, account: { client: ana, session: ${session} }, order: { amount: 10000, currency: MXN } } }`;
    const login = (at: string, session: string): string =>
      `{ at: ${at}, login: { channelId: 1, user: ana, session: ${session}, publicIp: 203.0.113.7, data: blob } }`;
    const policy = policyOf([
      {
        path: 'policy.yaml',
        text: `use: [dormant-accounts]
params: { dormantAfter: 30d }
tests:
  - name: a payment of ten thousand after forty days
    given: [${login('+0s', 'a')}, ${pay('+1m', 'a')}, ${login('+40d', 'b')}, ${pay('+40d1m', 'b')}]
    expect: [{ reason: 1704, at: +40d1m }]
`,
      },
    ]);
    expect(runPolicyTests(policy).flatMap(({ differences }) => differences)).toEqual([]);
  });

  it('count the payments of a night whose length the policy sets', () => {
    const pay = (at: string): string =>
      `{ at: ${at}, operation: { channelId: 1, account: { client: ana, session: s }, transaction: { description: "${at}" }, order: { amount: 50, currency: MXN }, accountTo: { bank: B1, accountNumber: "100" } } }`;
    const policyWith = (params: string): Policy =>
      policyOf([
        {
          path: 'policy.yaml',
          text: `use: [off-hours]
params: { nightEnds: 8${params} }
overrides: { 1901: { mode: off }, 1902: { mode: off } }
tests:
  - name: payments at one, at two, and at half past seven
    given: [${['+13h', '+14h', '+19h30m'].map(pay).join(', ')}]
    expect: [{ reason: 1903, at: +19h30m }]
`,
        },
      ]);
    const differences = (policy: Policy): readonly string[] =>
      runPolicyTests(policy).flatMap((report) => report.differences);
    expect(differences(policyWith(', nightLasts: 8h'))).toEqual([]);
    expect(differences(policyWith(''))).toHaveLength(1);
  });

  it('tell blocked clients that they are blocked, not to log in again', () => {
    const messages = rules.flatMap(({ then }) =>
      then.filter(({ action }) => action === 1).map(({ message }) => message),
    );
    expect(messages).toEqual(['Your access is blocked. Please call us.']);
  });

  it('work together, and together with the starter policy', () => {
    expect(withStarter(`use: [${packNames().join(', ')}]`).rules.length).toBeGreaterThan(rules.length);
  });

  it('break no test of the starter policy while in shadow, and add no coverage gap', () => {
    const used = withStarter(
      `use: [${packNames()
        .map((name) => `{ pack: ${name}, mode: shadow }`)
        .join(', ')}]`,
    );
    const reports = runPolicyTests(used);
    expect(reports.flatMap(({ differences }) => differences)).toEqual([]);
    expect(reports.some(({ fired }) => fired.includes(1101))).toBe(true);
    expect(unfiredRules(used, reports)).toEqual([]);
    expect(unmissedRules(used, reports)).toEqual([]);
    expect(rulesTestedInPacks(used)).toEqual(rules.map(({ reason }) => reason).toSorted((a, b) => a - b));
  });

  it('fail the tests in which they fire unexpectedly when live', () => {
    const differences = runPolicyTests(withStarter('use: [account-takeover]')).flatMap((report) => report.differences);
    expect(differences).toContainEqual(expect.stringContaining('rule 1101 fired at +20h3m, but was not expected'));
  });

  it('are listed in the reference', () => {
    const page = new URL('../../../../../docs/reference/policy-packs.md', import.meta.url);
    expect(readFileSync(page, 'utf8')).toBe(packsReference());
  });
});
