import { secretText } from '@ringfence/delivery';
import { retireSigningSecret, rotateSigningSecret } from '../../tenancy/workspaces/signing-secret.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { type Route, route } from '../server/operation.ts';
import { newSigningSecretSchema, printSigning, signingRotationBody, signingSchema } from './key-schema.ts';
import { inWorkspace } from '../server/members.ts';

const readRoute = route(
  {
    id: 'readSigning',
    method: 'GET',
    path: '/workspaces/{workspace}/webhook/secret',
    tag: 'keys',
    needs: 'see',
    summary: 'Whether two secrets sign the webhooks',
    description: 'The secrets themselves are not told: `ringfence webhook secret` does.',
    params: inWorkspace,
    answer: { status: 200, description: 'What is known.', schema: signingSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params }) => {
    const before = (await findWorkspace(deps, params)).secrets.webhookBefore;
    return printSigning(before !== undefined && deps.now() < before.untilMs ? before.untilMs : undefined);
  },
);

const rotateRoute = route(
  {
    id: 'rotateSigningSecret',
    method: 'POST',
    path: '/workspaces/{workspace}/webhook/secret/rotate',
    tag: 'keys',
    needs: 'administer',
    summary: 'Make a new signing secret; the one before signs beside it for a while',
    description:
      'Every webhook then carries two signatures, and a receiver accepts with either secret. Also for workspaces of the configuration file, which does not hold it.',
    params: inWorkspace,
    body: signingRotationBody,
    example: { overlapHours: 24 },
    answer: { status: 201, description: 'The secret, shown this once.', schema: newSigningSecretSchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params, body }) => {
    const { id } = await findWorkspace(deps, params);
    const { secret, beforeUntilMs } = await rotateSigningSecret(deps, id, body.overlapHours);
    await deps.registry.refresh();
    return { signingSecret: secretText(secret), ...printSigning(beforeUntilMs) };
  },
);

const retireRoute = route(
  {
    id: 'retireSigningSecret',
    method: 'POST',
    path: '/workspaces/{workspace}/webhook/secret/retire',
    tag: 'keys',
    needs: 'administer',
    summary: 'End the overlap: the secret before signs no more',
    description: 'On every process within 5 seconds. Nothing happens when only one signs.',
    params: inWorkspace,
    answer: { status: 204, description: 'Only the present one signs.' },
    problems: ['thing.unknown'],
  },
  async (deps, { params }) => {
    await retireSigningSecret(deps, (await findWorkspace(deps, params)).id);
    await deps.registry.refresh();
  },
);

/** The secret that signs webhooks: replaced with an overlap, so that no receiver misses one. */
export const signingRoutes: readonly Route[] = [readRoute, rotateRoute, retireRoute];
