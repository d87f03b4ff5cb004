/** Every operation that compiles a policy of its caller does it in the policy workers, under the caller's name. */
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PolicyTask, type PolicyWork, workHere } from '../../src/policies/policy-work.ts';
import type { Asker } from '../../src/policies/policy-workers.ts';
import { adminToken, managementKit, type ManagementKit } from './support/management-kit.ts';

let kit: ManagementKit;
let asked: { readonly by: string; readonly kind: PolicyTask['kind'] }[] = [];
let askers: Asker[] = [];
let before: Promise<unknown> = Promise.resolve();

beforeAll(async () => {
  const policyWorkers = {
    for: (asker: Asker): PolicyWork => {
      askers.push(asker);
      return async (task) => {
        asked.push({ by: asker.by, kind: task.kind });
        await before;
        return workHere(task);
      };
    },
  };
  kit = await managementKit({ policyWorkers });
});
afterAll(() => kit.close());

const files = (amount: number): object[] => [
  {
    path: 'a.yaml',
    text: `rules:\n  - { reason: 1, name: All, on: [operation], when: 'order.amount > ${amount}', then: { action: 3, message: "hello" } }`,
  },
];

it.each<[method: string, path: string, body: object | undefined, kinds: readonly string[]]>([
  ['POST', 'policies/check', { files: files(1) }, ['check']],
  ['POST', 'policies/test', { files: files(1) }, ['test']],
  ['POST', 'policies', { files: files(1), author: 'ana', comment: '' }, ['check', 'stored']],
  ['GET', 'policies/2/diff', undefined, ['diff']],
  ['POST', 'policies/1/activate', {}, ['check', 'stored']],
  ['POST', 'policies/requests', { files: files(3), comment: 'three' }, ['check']],
  ['POST', 'backtests', { files: files(2), author: 'ana', against: 'nothing' }, ['check']],
])('%s %s', async (...[method, path, body, kinds]) => {
  asked = [];
  const response = await kit.at(method, path, body === undefined ? {} : { body });
  expect([response.statusCode < 300, response.body]).toEqual([true, response.body]);
  expect(asked).toEqual(kinds.map((kind) => ({ by: 'admin token', kind })));
});

it('is cancelled when the client closes the connection', async () => {
  askers = [];
  const { promise, resolve } = Promise.withResolvers<undefined>();
  before = promise;
  await kit.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = kit.app.server.address() as AddressInfo;
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const path = `/management/v1/workspaces/${kit.workspace.id}/policies/check`;
  const call = request({ port, host: '127.0.0.1', method: 'POST', path, headers });
  call.on('error', () => {});
  call.end(JSON.stringify({ files: files(1) }));
  await expect.poll(() => askers.length).toBe(1);
  expect(askers[0]!.signal.aborted).toBe(false);
  call.destroy();
  await expect.poll(() => askers[0]!.signal.aborted).toBe(true);
  resolve(undefined);
});
