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
    description: 'This does not return the secrets: `ringfence webhook secret` prints them.',
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
    summary: 'Create a new signing secret; the previous one keeps signing for a while',
    description:
      'During the overlap, every webhook carries two signatures, and a receiver accepts it with either secret. Also available for workspaces of the configuration file, which does not contain the secret.',
    params: inWorkspace,
    body: signingRotationBody,
    example: { overlapHours: 24 },
    answer: { status: 201, description: 'The secret, which is shown only this once.', schema: newSigningSecretSchema },
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
    summary: 'End the overlap: the previous secret stops signing',
    description: 'In every process within 5 seconds. Nothing happens if only one secret signs.',
    params: inWorkspace,
    answer: { status: 204, description: 'Only the current secret signs.' },
    problems: ['thing.unknown'],
  },
  async (deps, { params }) => {
    await retireSigningSecret(deps, (await findWorkspace(deps, params)).id);
    await deps.registry.refresh();
  },
);

/** The secret that signs webhooks: rotated with an overlap, so that receivers can verify every webhook. */
export const signingRoutes: readonly Route[] = [readRoute, rotateRoute, retireRoute];
