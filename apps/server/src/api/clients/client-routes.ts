import { Problem } from '@ringfence/contract';
import { Type } from 'typebox';
import { exactly, text } from '../../platform/shapes/shape.ts';
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
    summary: 'End the block of a client',
    description: 'Here only: the bank ends its own block itself. Nothing happens when the client is not blocked.',
    params: inWorkspace,
    body: aboutClient,
    example: { client: 'ana' },
    answer: {
      status: 202,
      description: 'It acts from its record in the log on.',
      schema: Type.Object({ status: choice(['accepted'], 'It is in the log.') }),
    },
    problems: ['thing.unknown', 'log.unavailable'],
  },
  async (deps, { params, body }) => {
    const workspace = await findWorkspace(deps, params);
    const subject = await deps.subjects.find(workspace, body.client);
    if (subject === undefined) throw unknownClient();
    await deps.log.append(workspace.id, { kind: 'unblock', subject, payload: Buffer.from('{}') });
    return { status: 'accepted' } as const;
  },
);

const eraseRoute = route(
  {
    id: 'eraseClient',
    method: 'POST',
    path: '/workspaces/{workspace}/clients/erase',
    tag: 'clients',
    needs: 'administer',
    summary: 'Erase a client for good',
    description:
      'Destroys the key under which everything about the client is sealed. It cannot be undone. Backups made before still hold the key: erase again after restoring one.',
    params: inWorkspace,
    body: aboutClient,
    example: { client: 'ana' },
    answer: {
      status: 200,
      description: 'Nothing of the client can be read any more.',
      schema: Type.Object({ erased: flag('Always true.') }),
    },
    problems: ['thing.unknown', 'log.unavailable'],
  },
  async (deps, { params, body }) => {
    const erased = await deps.erase(await findWorkspace(deps, params), body.client);
    if (!erased) throw unknownClient();
    return { erased };
  },
);

function unknownClient(): Problem {
  return new Problem('thing.unknown', 'This client is not known here.');
}

/** What is done about one client. The client stands in the body: addresses end up in logs of proxies. */
export const clientRoutes: readonly Route[] = [unblockRoute, eraseRoute];
