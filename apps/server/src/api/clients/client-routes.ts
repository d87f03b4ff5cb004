import { Type } from 'typebox';
import { exactly, text } from '../../platform/shapes/shape.ts';
import { eraseClient } from '../../tenancy/subjects/erase-client.ts';
import { unblockClient } from '../../tenancy/subjects/unblock-client.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { type Route, route } from '../server/operation.ts';
import { choice, flag, inWorkspace } from '../server/members.ts';

const aboutClient = exactly({
  client: text({
    maxLength: 256,
    description: '`user` of logins, `account.client` of operations.',
    expected: 'a client',
  }),
});

const unblockRoute = route(
  {
    id: 'unblockClient',
    method: 'POST',
    path: '/workspaces/{workspace}/clients/unblock',
    tag: 'clients',
    needs: 'work',
    summary: 'Unblock a client',
    description: 'Only in Ringfence: the bank has to end its own block. Nothing happens if the client is not blocked.',
    params: inWorkspace,
    body: aboutClient,
    example: { client: 'ana' },
    answer: {
      status: 202,
      description: 'It takes effect with its record in the log.',
      schema: Type.Object({ status: choice(['accepted'], 'It is in the log.') }),
    },
    problems: ['thing.unknown', 'log.unavailable'],
  },
  async (deps, { params, body }) => {
    await unblockClient(deps, await findWorkspace(deps, params), body.client);
    return { status: 'accepted' } as const;
  },
);

const eraseRoute = route(
  {
    id: 'eraseClient',
    scope: 'clients:erase',
    method: 'POST',
    path: '/workspaces/{workspace}/clients/erase',
    tag: 'clients',
    needs: 'administer',
    summary: 'Erase a client permanently',
    description:
      'Destroys the key under which everything about the client is encrypted. It cannot be undone. Earlier backups still contain the key: erase again after restoring one.',
    params: inWorkspace,
    body: aboutClient,
    example: { client: 'ana' },
    answer: {
      status: 200,
      description: 'The client’s data can no longer be read.',
      schema: Type.Object({ erased: flag('Always true.') }),
    },
    problems: ['thing.unknown', 'log.unavailable'],
  },
  async (deps, { params, body }) => {
    await eraseClient(deps, await findWorkspace(deps, params), body.client);
    return { erased: true };
  },
);

/** Unblocking and erasure of a client. The client is sent in the body because URLs end up in the logs of proxies. */
export const clientRoutes: readonly Route[] = [unblockRoute, eraseRoute];
