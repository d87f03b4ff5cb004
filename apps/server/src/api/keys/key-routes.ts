import { Type } from 'typebox';
import { createKey, promoteKey, revokeKey } from '../../tenancy/workspaces/key-rotation.ts';
import { listLicenseKeys } from '../../tenancy/workspaces/license-keys.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { type Route, route } from '../server/operation.ts';
import { inKey, keySchema, newKeyBody, printKey, revocationBody } from './key-schema.ts';
import { inWorkspace, list } from '../server/members.ts';
import { newKeySchema } from '../workspaces/workspace-schema.ts';

const listRoute = route(
  {
    id: 'listKeys',
    method: 'GET',
    path: '/workspaces/{workspace}/keys',
    tag: 'keys',
    needs: 'see',
    summary: 'List the keys of a workspace',
    params: inWorkspace,
    answer: {
      status: 200,
      description: 'All keys, including revoked ones, oldest first, without their texts.',
      schema: Type.Object({ items: list(keySchema) }),
    },
    problems: ['thing.unknown'],
  },
  async (deps, { params }) => {
    const keys = await listLicenseKeys(deps.pool, (await findWorkspace(deps, params)).id);
    return { items: keys.map(printKey) };
  },
);

const createRoute = route(
  {
    id: 'createKey',
    method: 'POST',
    path: '/workspaces/{workspace}/keys',
    tag: 'keys',
    needs: 'administer',
    summary: 'Create a second key, for rotation',
    description:
      'It is accepted immediately, in addition to the existing key. Webhooks carry it only after it is promoted, or if no other key is sent. A workspace has at most two live keys.',
    params: inWorkspace,
    body: newKeyBody,
    example: {},
    answer: { status: 201, description: 'The key, which is shown only this once.', schema: newKeySchema },
    problems: ['thing.unknown', 'owner.config', 'state.conflict'],
  },
  async (deps, { params, body }) => {
    const key = await createKey(deps, (await findWorkspace(deps, params)).id, body.text);
    await deps.registry.refresh();
    return key;
  },
);

const promoteRoute = route(
  {
    id: 'promoteKey',
    method: 'POST',
    path: '/workspaces/{workspace}/keys/{key}/promote',
    tag: 'keys',
    needs: 'administer',
    summary: 'Send this key with webhooks from now on',
    description:
      'The other key is still accepted until it is revoked. Nothing happens if this key is already the one that is sent.',
    params: inKey,
    answer: { status: 204, description: 'Webhooks now carry this key.' },
    problems: ['thing.unknown', 'owner.config', 'state.conflict'],
  },
  async (deps, { params }) => {
    await promoteKey(deps, (await findWorkspace(deps, params)).id, params.key);
    await deps.registry.refresh();
  },
);

const revokeRoute = route(
  {
    id: 'revokeKey',
    method: 'POST',
    path: '/workspaces/{workspace}/keys/{key}/revoke',
    tag: 'keys',
    needs: 'administer',
    summary: 'Revoke a key permanently, in every process within 5 seconds',
    description:
      'Also works for a key that the configuration file declares: a leaked key must be revoked immediately, and the file does not restore it.',
    params: inKey,
    body: revocationBody,
    example: { force: false },
    answer: { status: 204, description: 'It is revoked.' },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params, body }) => {
    const { id } = await findWorkspace(deps, params);
    await revokeKey(deps, id, { id: params.key, force: body.force });
    await deps.registry.refresh();
  },
);

/** License keys: two can be live; only a promotion changes which one is sent; a revocation takes effect within 5 s. */
export const keyRoutes: readonly Route[] = [listRoute, createRoute, promoteRoute, revokeRoute];
