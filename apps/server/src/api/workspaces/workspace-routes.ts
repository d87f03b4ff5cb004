import { homeDatabase } from '../../platform/database/cell.ts';
import { unknownDatabase } from '../server/deps-of-all.ts';
import { Problem } from '@ringfence/contract';
import { Type } from 'typebox';
import { knowsWorkspace } from '../../access/caller.ts';
import { exactly } from '../../platform/shapes/shape.ts';
import { createWorkspace, updateWorkspace } from '../../tenancy/workspaces/workspace-store.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { type Route, route } from '../server/operation.ts';
import { inWorkspace, list } from '../server/members.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { withPlaces } from './with-places.ts';
import {
  channelBody,
  channelId,
  madeWorkspaceSchema,
  newWorkspaceBody,
  printWorkspace,
  type WorkspaceAnswer,
  workspaceChangeBody,
  workspaceSchema,
} from './workspace-schema.ts';

async function withPlace(deps: ManagementDeps, workspace: Workspace): Promise<WorkspaceAnswer> {
  return (await withPlaces(deps, [printWorkspace(workspace)]))[0]!;
}

const inChannel = exactly({ ...inWorkspace.properties, channel: channelId });

const listRoute = route(
  {
    id: 'listWorkspaces',
    method: 'GET',
    path: '/workspaces',
    tag: 'workspaces',
    needs: 'login',
    summary: 'List workspaces',
    answer: {
      status: 200,
      description: 'All workspaces that the caller may see, by name; there are at most 1,000.',
      schema: Type.Object({ items: list(workspaceSchema) }),
    },
    problems: [],
  },
  async (deps, _given, { caller }) => {
    const known = deps.registry.all().filter(({ id }) => knowsWorkspace(caller, id));
    return { items: await withPlaces(deps, known.map(printWorkspace)) };
  },
);

const createRoute = route(
  {
    id: 'createWorkspace',
    method: 'POST',
    path: '/workspaces',
    tag: 'workspaces',
    needs: 'administer',
    summary: 'Create a workspace',
    description:
      'It gets its own secrets, license key and log. It only observes until `deliver` is set to live. It has no policy yet.',
    body: newWorkspaceBody,
    example: {
      name: 'acme',
      environment: 'production',
      settings: { timezone: 'America/Mexico_City', webhook: { url: 'https://bank.example/smartid/webhook' } },
      channels: [{ id: 1, name: 'Mobile app' }],
    },
    answer: {
      status: 201,
      description: 'The workspace and its key, which is shown only this once.',
      schema: madeWorkspaceSchema,
    },
    problems: ['state.conflict', 'log.unavailable'],
  },
  async (deps, { body: { database = homeDatabase, ...wanted } }) => {
    if (deps.cells === undefined && database !== homeDatabase) throw unknownDatabase(database, [homeDatabase]);
    const { workspace, keys } = await createWorkspace(deps.cells?.named(database) ?? deps, wanted);
    await deps.registry.refresh();
    return { ...(await withPlace(deps, workspace)), keys };
  },
);

const readRoute = route(
  {
    id: 'readWorkspace',
    method: 'GET',
    path: '/workspaces/{workspace}',
    tag: 'workspaces',
    needs: 'see',
    summary: 'One workspace with its settings and channels',
    params: inWorkspace,
    answer: { status: 200, description: 'The workspace.', schema: workspaceSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params }) => withPlace(deps, await findWorkspace(deps, params)),
);

const changeRoute = route(
  {
    id: 'changeWorkspace',
    method: 'PATCH',
    path: '/workspaces/{workspace}',
    tag: 'workspaces',
    needs: 'administer',
    summary: 'Change name, settings, webhook or channels',
    description:
      '`settings` is a merge patch (RFC 7396): send what changes; null restores the default. `channels` replaces all of them. Every process applies the change within 5 seconds.',
    params: inWorkspace,
    body: workspaceChangeBody,
    example: { settings: { deliver: 'live', blockHours: 48, rateLimit: null } },
    answer: { status: 200, description: 'The workspace as it is now.', schema: workspaceSchema },
    problems: ['thing.unknown', 'owner.config', 'state.conflict', 'log.unavailable'],
  },
  async (deps, { params, body }, exchange) => {
    const present = await findWorkspace(deps, params);
    const before = printWorkspace(present);
    const changed = await updateWorkspace(deps, present.id, { ...body, actor: 'api' });
    await deps.registry.refresh();
    exchange.note({ detail: { before, after: printWorkspace(changed) } });
    return withPlace(deps, changed);
  },
);

const channelRoute = route(
  {
    id: 'putChannel',
    method: 'PUT',
    path: '/workspaces/{workspace}/channels/{channel}',
    tag: 'workspaces',
    needs: 'administer',
    summary: 'Configure a channel',
    params: inChannel,
    body: channelBody,
    example: { name: 'Mobile app', idleMinutes: 10 },
    answer: { status: 200, description: 'The workspace as it is now.', schema: workspaceSchema },
    problems: ['thing.unknown', 'owner.config', 'log.unavailable'],
  },
  async (deps, { params, body }) => {
    const { id } = await findWorkspace(deps, params);
    const changed = await updateWorkspace(deps, id, {
      channels: (present) => [...present.filter((one) => one.id !== params.channel), { ...body, id: params.channel }],
      actor: 'api',
    });
    await deps.registry.refresh();
    return withPlace(deps, changed);
  },
);

const removeChannelRoute = route(
  {
    id: 'removeChannel',
    method: 'DELETE',
    path: '/workspaces/{workspace}/channels/{channel}',
    tag: 'workspaces',
    needs: 'administer',
    summary: 'Remove the configuration of a channel; its events are still accepted',
    params: inChannel,
    answer: { status: 204, description: 'It is removed.' },
    problems: ['thing.unknown', 'owner.config', 'log.unavailable'],
  },
  async (deps, { params }) => {
    const { id } = await findWorkspace(deps, params);
    await updateWorkspace(deps, id, {
      channels: (present) => {
        const others = present.filter((one) => one.id !== params.channel);
        if (others.length < present.length) return others;
        throw new Problem('thing.unknown', `Channel ${params.channel} is not configured.`);
      },
      actor: 'api',
    });
    await deps.registry.refresh();
  },
);

/**
 * Workspaces, their settings (including the webhook) and channels. What the configuration file declares is read-only.
 */
export const workspaceRoutes: readonly Route[] = [
  listRoute,
  createRoute,
  readRoute,
  changeRoute,
  channelRoute,
  removeChannelRoute,
];
