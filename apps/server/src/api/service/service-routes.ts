import type { Deliveries, PauseScope } from '@ringfence/delivery';
import { findWorkspace } from '../server/find-workspace.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { type Operation, type Route, route } from '../server/operation.ts';
import { printPause, statusSchema } from '../integration/integration-schema.ts';
import { inWorkspace } from '../server/members.ts';

const statusRoute = route(
  {
    id: 'readStatus',
    method: 'GET',
    path: '/status',
    tag: 'service',
    needs: 'see',
    summary: 'State of the service: lag, deliveries, pauses',
    answer: { status: 200, description: 'Read from the database, for all processes.', schema: statusSchema },
    problems: [],
  },
  async (deps) => {
    const [workspaces, states, pauses] = await Promise.all([deps.backlogs(), deps.queued(), pausesOf(deps)]);
    return { workspaces, deliveries: Object.fromEntries(states), pauses: pauses.map(printPause) };
  },
);

/** Those of all databases; a pause of all is in each of them, and shown once. */
async function pausesOf(deps: ManagementDeps): Promise<Awaited<ReturnType<Deliveries['pauses']>>> {
  const [home = [], ...others] = await Promise.all(everyOutbox(deps).map((outbox) => outbox.pauses()));
  return [...home, ...others.flat().filter(({ scope }) => scope.kind !== 'all')];
}

function everyOutbox({ cells, deliveries }: ManagementDeps): readonly Deliveries[] {
  return cells?.deliveries() ?? [deliveries];
}

const changes = {
  pause: {
    summary: 'Pause all deliveries within 5 seconds',
    description: 'Actions are kept, and expire at their time. Requests in progress are not cancelled.',
  },
  resume: { summary: 'Resume deliveries', description: 'Undoes `pause` of the same scope.' },
} as const;

function pauseRoutes(change: keyof typeof changes): readonly Route[] {
  const { summary, description } = changes[change];
  const common = {
    method: 'POST',
    tag: 'service',
    needs: 'administer',
    description,
    answer: { status: 204, description: 'It is done; nothing changes if it was already so.' },
  } as const satisfies Partial<Operation>;
  const apply = ({ deliveries, now }: ManagementDeps, scope: PauseScope): Promise<void> =>
    change === 'pause' ? deliveries.pause(scope, now()) : deliveries.resume(scope);
  return [
    route({ ...common, id: `${change}All`, path: `/deliveries/${change}`, summary, problems: [] }, async (deps) => {
      for (const deliveries of everyOutbox(deps)) await apply({ ...deps, deliveries }, { kind: 'all' });
    }),
    route(
      {
        ...common,
        id: `${change}Workspace`,
        path: `/workspaces/{workspace}/deliveries/${change}`,
        summary: `${summary}, of one workspace`,
        params: inWorkspace,
        problems: ['thing.unknown'],
      },
      async (deps, { params }) =>
        apply(deps, { kind: 'workspace', workspaceId: (await findWorkspace(deps, params)).id }),
    ),
  ];
}

/** The service as a whole. */
export const serviceRoutes: readonly Route[] = [statusRoute, ...pauseRoutes('pause'), ...pauseRoutes('resume')];
