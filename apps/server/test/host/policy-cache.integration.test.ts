/** Compiled policies of one process, which stay while it lives. */
import { readPolicyFolder } from '../../src/config/policy-folder.ts';
import { starterPolicyFolder } from '../../src/config/first-start.ts';
import { PolicyCache } from '../../src/host/policy-cache.ts';
import { keepPolicy } from '../../src/workspaces/policy-store.ts';
import { createWorkspace } from '../../src/workspaces/workspace-store.ts';
import { makeInstallation } from '../support/installation.ts';
import { expect, it, onTestFinished } from 'vitest';

it('compiles a version again when a fail-over lost it, and another one was stored under its number', async () => {
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
