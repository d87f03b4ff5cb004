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
    answer: { status: 200, description: 'A JWK set; pages use the first key.', schema: deviceKeySetSchema },
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
    summary: 'Create a new device key; the previous one still decrypts tokens',
    description:
      'At most two keys decrypt tokens: deploy the new key to the pages before you rotate again. Also available for workspaces of the configuration file, which does not contain these keys.',
    params: inWorkspace,
    body: deviceKeyRotationBody,
    example: {},
    answer: { status: 201, description: 'The new set.', schema: deviceKeySetSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params, body }) => {
    const set = await rotateDeviceKey(deps, (await findWorkspace(deps, params)).id, body.alone);
    await deps.registry.refresh();
    return set;
  },
);

/** The keys that decrypt device tokens: two during a rotation. The private keys never leave the service. */
export const deviceKeyRoutes: readonly Route[] = [listRoute, rotateRoute];
