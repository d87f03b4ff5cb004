/**
 * Tests every operation with every role, in the role's workspace and in another one: callers without the right are
 * refused, and all others pass authorization. The requests are invalid on purpose, so that nothing is changed.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Right, type Role, roles, rightsIn } from '../../src/access/accounts/roles.ts';
import type { Operation } from '../../src/api/server/operation.ts';
import { managementRoutes } from '../../src/api/routes.ts';
import { browser, loggedIn, type Browser } from '../access/accounts/support/browser.ts';
import { managementKit, type ManagementKit, problemOf } from './support/management-kit.ts';

let kit: ManagementKit;
let otherId: string;
const windows = new Map<Role, Browser>();
/** Logged-in people with this role in all workspaces. */
const everywhere = new Map<Role, Browser>();

beforeAll(async () => {
  kit = await managementKit();
  otherId = (await kit.addWorkspace()).id;
  await kit.deps.registry.refresh();
  for (const role of roles) {
    windows.set(role, await loggedIn(kit, { email: `${role}@bank.example`, roles: [role] }));
    const email = `${role}-everywhere@bank.example`;
    everywhere.set(role, await loggedIn(kit, { email, roles: [role], workspace: '*' }));
  }
});

afterAll(() => kit.close());

const operations = managementRoutes.map(({ operation }) => operation);
const guarded = operations.filter(({ needs }) => !['nothing', 'login', 'account'].includes(needs));
const inWorkspace = guarded.filter(({ path }) => path.includes('{workspace}'));
const ofInstallation = guarded.filter(({ path }) => !path.includes('{workspace}'));

const matrix = (of: readonly Operation[]) =>
  of.flatMap((operation) => roles.map((role) => ({ id: operation.id, role, operation })));

/**
 * A query that no operation accepts: a caller who passes authorization gets an error about it, before anything is
 * changed.
 */
async function ask(window: Browser, { method, path }: Operation, workspaceId: string): Promise<string | number> {
  const filled = path.replace('{workspace}', workspaceId).replaceAll(/\{\w+\}/g, 'nothing');
  const response = await window.call(method, `${filled}?nobody-takes-this=1`);
  return response.statusCode < 400 ? response.statusCode : problemOf(response).code;
}

describe('in the own workspace', () => {
  it.each(matrix(inWorkspace))('$id as $role', async ({ operation, role }) => {
    const may = rightsIn({ own: [role] }, 'own').includes(operation.needs as Right);
    expect(await ask(windows.get(role)!, operation, kit.workspace.id)).toBe(may ? 'request.invalid' : 'right.missing');
  });
});

describe('in another workspace', () => {
  it.each(matrix(inWorkspace))('$id as $role of this one', async ({ operation, role }) => {
    const window = windows.get(role)!;
    expect(await ask(window, operation, otherId)).toBe('thing.unknown');
    expect(await ask(window, operation, 'bank 1:production')).toBe('thing.unknown');
  });
});

describe('in the installation', () => {
  it.each(matrix(ofInstallation))('$id as $role of a workspace', async ({ operation, role }) => {
    expect(await ask(windows.get(role)!, operation, '')).toBe('right.missing');
  });
});

describe('everywhere', () => {
  it.each(matrix(guarded))('$id as $role of all workspaces', async ({ operation, role }) => {
    const may = rightsIn({ own: [role] }, 'own').includes(operation.needs as Right);
    expect(await ask(everywhere.get(role)!, operation, otherId)).toBe(may ? 'request.invalid' : 'right.missing');
  });
});

describe('with the admin token', () => {
  it.each(operations.filter(({ needs }) => needs !== 'nothing'))('$id', async ({ method, path, needs }) => {
    const filled = path.replace('{workspace}', kit.workspace.id).replaceAll(/\{\w+\}/g, 'nothing');
    const { code } = problemOf(await kit.call(method, `${filled}?nobody-takes-this=1`));
    // A program has no account.
    expect(code).toBe(needs === 'account' ? 'session.missing' : 'request.invalid');
  });
});

describe('without a session', () => {
  it.each(operations.filter(({ needs }) => needs !== 'nothing'))('$id', async (operation) => {
    expect(await ask(browser(kit), operation, kit.workspace.id)).toBe('session.missing');
  });
});

it('every operation requires a right, or is one of three documented exceptions', () => {
  const open = operations.filter(({ needs }) => needs === 'nothing').map(({ id }) => id);
  expect(open.toSorted()).toEqual(['acceptInvitation', 'openFirstSession', 'openSession', 'readSessionOptions']);
  const changing = guarded.filter(({ method, isRead }) => method !== 'GET' && isRead !== true);
  expect(changing.filter(({ needs }) => needs === 'see')).toEqual([]);
});
