import { deviceKeySet, rotateDeviceKey } from '../../tenancy/workspaces/device-keys.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { type Route, route } from '../server/operation.ts';
import { deviceKeyRotationBody, deviceKeySetSchema } from './key-schema.ts';
import { inWorkspace } from '../server/members.ts';

const listRoute = route(
  {
    id: 'listDeviceKeys',
    method: 'GET',
    path: '/workspaces/{workspace}/device-keys',
    tag: 'keys',
    needs: 'see',
    summary: 'The public keys that pages encrypt device tokens to',
    description: 'The same as the public listener serves at `/device/v1/keys/{workspace}`.',
    params: inWorkspace,
    answer: { status: 200, description: 'A JWK set; pages take the first.', schema: deviceKeySetSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params }) => deviceKeySet(await findWorkspace(deps, params)),
);

const rotateRoute = route(
  {
    id: 'rotateDeviceKey',
    method: 'POST',
    path: '/workspaces/{workspace}/device-keys/rotate',
    tag: 'keys',
    needs: 'administer',
    summary: 'Make a new device key; the one before it still opens tokens',
    description:
      'Two keys open tokens, never more: give the pages the new one before you rotate again. Also for workspaces of the configuration file, which does not hold them.',
    params: inWorkspace,
    body: deviceKeyRotationBody,
    example: {},
    answer: { status: 201, description: 'The set from now on.', schema: deviceKeySetSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params, body }) => {
    const set = await rotateDeviceKey(deps, (await findWorkspace(deps, params)).id, body.alone);
    await deps.registry.refresh();
    return set;
  },
);

/** The keys that open device tokens: two for a rotation, the private parts never leave the service. */
export const deviceKeyRoutes: readonly Route[] = [listRoute, rotateRoute];
