/** The cache of compiled policies of one process. */
import { readPolicyFolder } from '../../../src/config/policy-folder.ts';
import { activePolicy } from '../../../src/policies/directives/active-policy.ts';
import { starterPolicyFolder } from '../../../src/config/first-start.ts';
import { PolicyCache } from '../../../src/policies/policy-cache.ts';
import { keepPolicy } from '../../../src/policies/policy-store.ts';
import { PolicyVersionError } from '../../../src/policies/stored-policy.ts';
import { createWorkspace } from '../../../src/tenancy/workspaces/workspace-store.ts';
import { makeInstallation } from '../../support/installation.ts';
import { expect, it, onTestFinished } from 'vitest';

it('a version is compiled again after a failover lost it and another was stored under its number', async () => {
  const home = await makeInstallation();
  onTestFinished(() => home.close());
  const owners = { settings: 'api', keys: 'api', policy: 'api' } as const;
  const { workspace } = await createWorkspace(home.deps, { name: 'bank', environment: 'production', owners });
  const keep = (text: string): Promise<number> => {
    const files = [...readPolicyFolder(starterPolicyFolder), { path: 'more.yaml', text }];
    return keepPolicy(home.deps, workspace.id, { files, author: 'test', comment: '', actor: 'api' });
  };
  const policies = new PolicyCache(home.pool);
  const lost = await policies.policy(workspace.id, await keep(ruleAbove(100)));
  expect(await policies.policy(workspace.id, 1)).toBe(lost);

  await home.pool.query(`delete from policy_version where workspace_id = $1`, [workspace.id]);
  expect(await keep(ruleAbove(200))).toBe(1);
  expect((await policies.policy(workspace.id, 1)).canonical).not.toBe(lost.canonical);
});

it('a stored policy whose tests this release refuses can still be used: tests decide nothing', async () => {
  const home = await makeInstallation();
  onTestFinished(() => home.close());
  const owners = { settings: 'api', keys: 'api', policy: 'api' } as const;
  const { workspace } = await createWorkspace(home.deps, { name: 'bank', environment: 'production', owners });
  const files = [{ path: 'rules.yaml', text: `actions: { 6: Look at it }\n${ruleAbove(100)}` }];
  const policyVersion = await keepPolicy(home.deps, workspace.id, { files, author: 'test', comment: '', actor: 'api' });
  await home.pool.query(`update policy_version set files = $2 where workspace_id = $1`, [
    workspace.id,
    JSON.stringify([...files, { path: 'tests.yaml', text: 'tests: [{ words: of another release }]' }]),
  ]);
  expect((await activePolicy(home.pool, { ...workspace, policyVersion }))?.rules).toMatchObject([{ reason: 7001 }]);

  await home.pool.query(`update policy_version set files = $2, hash = '\\x00' where workspace_id = $1`, [
    workspace.id,
    JSON.stringify([{ path: 'rules.yaml', text: 'rules: [{}]' }]),
  ]);
  await expect(activePolicy(home.pool, { ...workspace, policyVersion })).rejects.toMatchObject({
    code: 'policy.invalid',
  });
});

it('identical policies of two workspaces are compiled once, and a refused version is checked once', async () => {
  const home = await makeInstallation();
  onTestFinished(() => home.close());
  const policies = new PolicyCache(home.pool);
  const owners = { settings: 'api', keys: 'api', policy: 'api' } as const;
  const ids: string[] = [];
  for (const name of ['one', 'two']) {
    const { workspace } = await createWorkspace(home.deps, { name, environment: 'production', owners });
    const files = readPolicyFolder(starterPolicyFolder);
    await keepPolicy(home.deps, workspace.id, { files, author: 'test', comment: '', actor: 'api' });
    ids.push(workspace.id);
  }
  const [one = '', two = ''] = ids;
  expect(await policies.policy(two, 1)).toBe(await policies.policy(one, 1));

  await home.pool.query(`update policy_version set files = $1`, [
    JSON.stringify([{ path: 'rules.yaml', text: 'rules: [{}]' }]),
  ]);
  const refusal = await policies.policy(one, 1).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(PolicyVersionError);
  expect(await policies.policy(one, 1).catch((error: unknown) => error)).toBe(refusal);

  await home.pool.query(`update policy_version set replaced_by = 2 where workspace_id = $1`, [one]);
  const files = [{ path: 'rules.yaml', text: `actions: { 6: Look at it }\n${ruleAbove(100)}` }];
  await keepPolicy(home.deps, one, { files, author: 'test', comment: '', actor: 'api' });
  expect((await policies.policy(one, 1)).rules).toMatchObject([{ reason: 7001 }]);
  expect(await policies.policy(one, 1)).toBe(await policies.policy(one, 1));
  await expect(policies.policy(two, 1)).rejects.toBeInstanceOf(PolicyVersionError);
});

function ruleAbove(amount: number): string {
  return `rules:
  - reason: 7001
    name: A large amount
    on: [operation]
    when: order.amount > ${amount}
    then: { action: 6, message: Look at it }
    mode: live
`;
}
