import { isPauseOf } from '@ringfence/delivery';
import { exactly } from '../../platform/shapes/shape.ts';
import { readWarnings } from '../../console/event-warning-counts.ts';
import { readSeenChannels } from '../../console/seen-channels.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { type Route, route } from '../server/operation.ts';
import { pageOf, readCursor } from '../server/page.ts';
import {
  endpointSchema,
  integrationSchema,
  printEndpoint,
  printPause,
  refusedPageSchema,
  transcriptSchema,
} from './integration-schema.ts';
import { inWorkspace, pageQuery } from '../server/members.ts';

const refusedRoute = route(
  {
    id: 'listRefused',
    method: 'GET',
    path: '/workspaces/{workspace}/refused',
    tag: 'integration',
    needs: 'see',
    summary: 'Requests that were refused in the last 7 days, without their values',
    description:
      'Only requests with a license key of this workspace: with a wrong key, the workspace is unknown. They are written once per second.',
    params: inWorkspace,
    query: exactly(pageQuery),
    answer: { status: 200, description: 'One page, and the totals.', schema: refusedPageSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params, query: { limit, cursor } }) => {
    const { id } = await findWorkspace(deps, params);
    const rows = await deps.refused.list(id, { limit: limit + 1, before: readCursor('refused', cursor) });
    const page = pageOf('refused', rows, { limit, keyOf: (row) => row.id });
    return { ...page, counts: await deps.refused.counts(id) };
  },
);

const integrationRoute = route(
  {
    id: 'readIntegration',
    method: 'GET',
    path: '/workspaces/{workspace}/integration',
    tag: 'integration',
    needs: 'see',
    summary: 'Health of the integration: channels, refused requests, likely mistakes, the webhook, pauses',
    params: inWorkspace,
    answer: { status: 200, description: 'What is known.', schema: integrationSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params }) => {
    const workspace = await findWorkspace(deps, params);
    const { id } = workspace;
    const [channels, refused, warnings, breaker, pauses] = await Promise.all([
      readSeenChannels(deps.pool, id),
      deps.refused.counts(id),
      readWarnings(deps.pool, workspace, deps.now()),
      deps.deliveries.endpoint(id),
      deps.deliveries.pauses(),
    ]);
    const own = pauses.filter((pause) => isPauseOf(pause, id));
    const eventsUrl = deps.eventsUrl();
    return {
      ...(eventsUrl === undefined ? {} : { eventsUrl }),
      channels,
      refused,
      warnings,
      endpoint: printEndpoint(breaker),
      pauses: own.map(printPause),
    };
  },
);

const testRoute = route(
  {
    id: 'testWebhook',
    method: 'POST',
    path: '/workspaces/{workspace}/webhook/test',
    tag: 'integration',
    needs: 'administer',
    summary: 'Send a test action, and show the whole exchange',
    description:
      'Action 6, reason 0, for a client that no bank has. It is sent even while the workspace only observes, and is not stored. Takes at most 15 seconds.',
    params: inWorkspace,
    answer: { status: 200, description: 'The exchange, even if it failed.', schema: transcriptSchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params }) => deps.sendTest(await findWorkspace(deps, params)),
);

const enableRoute = route(
  {
    id: 'enableWebhook',
    method: 'POST',
    path: '/workspaces/{workspace}/webhook/enable',
    tag: 'integration',
    needs: 'administer',
    summary: 'Retry the webhook now, even if it is disabled',
    description: 'All waiting actions become due. Use it when the bank reports that its webhook works again.',
    params: inWorkspace,
    answer: { status: 200, description: 'Its state now.', schema: endpointSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params }) => {
    const { id } = await findWorkspace(deps, params);
    await deps.deliveries.enableEndpoint(id);
    return printEndpoint(await deps.deliveries.endpoint(id));
  },
);

/** What an integrator needs to see: refused requests and why, channels that arrived, whether the webhook answers. */
export const integrationRoutes: readonly Route[] = [refusedRoute, integrationRoute, testRoute, enableRoute];
