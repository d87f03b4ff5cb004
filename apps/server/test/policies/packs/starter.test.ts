import { globSync, readFileSync } from 'node:fs';
import { runPolicyTests, unfiredRules, unmissedRules } from '@ringfence/engine';
import { loadPolicy, type Policy, type PolicyFile } from '@ringfence/policy';
import { describe, expect, it } from 'vitest';

const folder = new URL('../../../policies/starter/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, folder), 'utf8');
const files: readonly PolicyFile[] = globSync('*.yaml', { cwd: folder }).map((path) => ({ path, text: read(path) }));

function policyOf(changed: readonly PolicyFile[]): Policy {
  const result = loadPolicy(changed);
  if (!result.ok) throw new Error(JSON.stringify(result.errors, undefined, 1));
  return result.policy;
}

const policy = policyOf(files);

describe('the starter policy', () => {
  it('is valid without warnings', () => {
    expect(loadPolicy(files)).toMatchObject({ ok: true, warnings: [] });
    expect(policy.rules.length).toBeGreaterThanOrEqual(15);
  });

  it.each(runPolicyTests(policy))('$file: $name', ({ differences }) => {
    expect(differences).toEqual([]);
  });

  it('has a test that fires each rule, and a near miss', () => {
    const reports = runPolicyTests(policy);
    expect(unfiredRules(policy, reports)).toEqual([]);
    expect(unmissedRules(policy, reports)).toEqual([]);
  });

  it('gives each rule a score', () => {
    expect(policy.rules.filter(({ score }) => score < 10 || score > 90)).toEqual([]);
  });

  it('lists each rule in its README with mode, actions, score and name', () => {
    const rows = policy.rules.map(
      ({ reason, mode, then, score, name }) =>
        `| ${reason} | ${mode} | ${then.map(({ action }) => action).join(', ')} | ${score} | ${name} |`,
    );
    for (const row of rows) expect(read('README.md')).toContain(`${row}\n`);
  });
});

/**
 * Goal: the near misses are near. Method: relax one bound of one rule a little, and check that its near miss fires.
 */
describe('a slightly relaxed rule fires in its near miss', () => {
  it.each([
    ['sessions.yaml', 'session.mismatch == "noLogin"', 'session.mismatch != "otherClient"'],
    ['sessions.yaml', 'session.closedAt + 1m', 'session.closedAt + 29s'],
    ['sessions.yaml', 'session.mismatch == "otherClient"', 'session.mismatch in ["otherClient", "none"]'],
    ['sessions.yaml', 'session.active && ip.subnet != session.subnet', 'session.active'],
    [
      'sessions.yaml',
      'session.subnetChanged && clientPayeeFirstPaid == 0s',
      'session.subnetChanged && clientPayeeFirstPaid >= 0s',
    ],
    ['sessions.yaml', 'session.closedAt + 10s', 'session.closedAt + 5s'],
    ['takeover.yaml', 'clientIpFirstSeen < 1h && clientIps30d >= 2', 'clientIps30d >= 1'],
    ['takeover.yaml', 'clientIps1h >= 4', 'clientIps1h >= 3'],
    ['takeover.yaml', 'clientLogins10m >= 10', 'clientLogins10m >= 9'],
    ['takeover.yaml', 'ipClients1h >= 10', 'ipClients1h >= 9'],
    ['takeover.yaml', 'clientLastPaid > 90d && clientPayeeFirstPaid == 0s', 'clientLastPaid > 90d'],
    ['takeover.yaml', '!device.reported && clientLoginsNoDevice24h >= 3', 'clientLoginsNoDevice24h >= 2'],
    ['takeover.yaml', 'ipClientsNoDevice1h >= 5', 'ipClientsNoDevice1h >= 4'],
    ['takeover.yaml', '"!ip.valid"', '"!ip.valid || ip.version == 6"'],
    ['takeover.yaml', 'client.blockedFor > 10s', 'client.blockedFor > 5s'],
    ['payments.yaml', 'clientPaid5m >= 6', 'clientPaid5m >= 5'],
    ['payments.yaml', 'clientPayeesPaid10m >= 5', 'clientPayeesPaid10m >= 4'],
    ['payments.yaml', 'order.amount > 4 * clientPaidUsual30d', 'order.amount > 2 * clientPaidUsual30d'],
    ['payments.yaml', 'session.age < 60s', 'session.age <= 60s'],
    ['payments.yaml', 'clientPayeeTimesPaid1h >= 4', 'clientPayeeTimesPaid1h >= 3'],
    ['payments.yaml', 'clientAmount24h > 3 *', 'clientAmount24h >= 3 *'],
    [
      'payments.yaml',
      'clientPayeeFirstPaid > 0s',
      'clientPayeeFirstPaid >= 0s && order.amount > 1000 || clientPayeeFirstPaid > 0s',
    ],
    ['payments.yaml', 'order.amount >= 100\n', 'order.amount >= 99\n'],
    ['features.yaml', 'over: 24h, where: order.amount > 0 && event.timeKnown }\n\n', 'over: 24h }\n\n'],
    ['features.yaml', 'over: 5m, where: order.amount > 0 && event.timeKnown', 'over: 5m, where: order.amount > 0'],
    [
      'features.yaml',
      'distinct: ip.subnet, by: client.id, over: 1h, on: [login], where: event.timeKnown',
      'distinct: publicIp, by: client.id, over: 1h, on: [login]',
    ],
    ['payees.yaml', ' && !(payee.id in lists.payeesTrusted)', ''],
    ['payees.yaml', 'payee.id in lists.mulesKnown', 'payee.id.endsWith("/000000000000000000")'],
  ])('%s: %s as %s', (path, asked, less) => {
    expect(read(path)).toContain(asked);
    const lax = files.map((file) => (file.path === path ? { path, text: file.text.replace(asked, less) } : file));
    const differences = runPolicyTests(policyOf(lax)).flatMap((report) => report.differences);
    expect(differences.filter((difference) => difference.includes('was not expected'))).not.toEqual([]);
  });
});
