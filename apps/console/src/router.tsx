import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router';
import { ApiProblem } from './api/api-problem.ts';
import { readSession } from './api/session.ts';
import { nameOf } from './api/use-workspace.ts';
import { readAlertsSearch } from './pages/alerts/alerts-search.ts';
import { readAuditSearch } from './pages/audit/audit-search.ts';
import { readActionsSearch } from './pages/deliveries/actions-search.ts';
import { readEntitySearch } from './pages/entity/entity-search.ts';
import { readEventSearch } from './pages/event/event-search.ts';
import { readEventsSearch } from './pages/events/events-search.ts';
import { readHoldsSearch } from './pages/holds/holds-search.ts';
import { readListSearch } from './pages/lists/list-search.ts';
import { readOutcomesSearch } from './pages/outcomes/outcomes-search.ts';
import { readPolicySearch } from './pages/policy/policy-search.ts';
import { readLoginSearch } from './pages/login/login-search.ts';
import { LoginPage } from './pages/login/login-page.tsx';
import { Loading } from './parts/loading.tsx';
import { CrashPage } from './shell/crash-page.tsx';
import { MissingPage } from './shell/missing-page.tsx';
import { latePart } from './shell/new-build.ts';
import { Shell } from './shell/shell.tsx';
import { keptWorkspace } from './shell/kept-workspace.ts';
import { defined, textMember } from './url/search-members.ts';
import { readTimeRange } from './url/time-range.ts';

interface RouterContext {
  readonly queryClient: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({ component: Outlet });

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: readLoginSearch,
  component: LoginPage,
});

const first = createRoute({
  getParentRoute: () => root,
  path: '/first',
  component: lazyRouteComponent(() => latePart(() => import('./pages/login/first-page.tsx')), 'FirstPage'),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(() => latePart(() => import('./pages/login/invitation-page.tsx')), 'InvitationPage'),
});

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async ({ context }) => {
    const { workspaces } = await gate(context.queryClient, '/');
    const kept = workspaces.find((one) => nameOf(one) === keptWorkspace()) ?? workspaces[0];
    if (kept === undefined) throw redirect({ to: '/nowhere' });
    throw redirect({ to: '/w/$workspace', params: { workspace: nameOf(kept) } });
  },
});

const nowhere = createRoute({
  getParentRoute: () => root,
  path: '/nowhere',
  beforeLoad: ({ context }) => gate(context.queryClient, '/'),
  component: lazyRouteComponent(() => latePart(() => import('./shell/nowhere-page.tsx')), 'NowherePage'),
});

const workspace = createRoute({
  getParentRoute: () => root,
  path: '/w/$workspace',
  validateSearch: readTimeRange,
  search: { middlewares: [retainSearchParams(['range', 'from', 'to'])] },
  beforeLoad: ({ context, location }) => gate(context.queryClient, location.href),
  component: Shell,
});

const overview = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  component: lazyRouteComponent(() => latePart(() => import('./pages/overview/overview-page.tsx')), 'OverviewPage'),
});

const alerts = createRoute({
  getParentRoute: () => workspace,
  path: 'alerts',
  validateSearch: readAlertsSearch,
  component: lazyRouteComponent(() => latePart(() => import('./pages/alerts/alerts-page.tsx')), 'AlertsPage'),
});

const holds = createRoute({
  getParentRoute: () => workspace,
  path: 'holds',
  validateSearch: readHoldsSearch,
  component: lazyRouteComponent(() => latePart(() => import('./pages/holds/holds-page.tsx')), 'HoldsPage'),
});

const events = createRoute({
  getParentRoute: () => workspace,
  path: 'events',
  validateSearch: readEventsSearch,
  component: lazyRouteComponent(() => latePart(() => import('./pages/events/events-page.tsx')), 'EventsPage'),
});

const outcomes = createRoute({
  getParentRoute: () => workspace,
  path: 'events/outcomes',
  validateSearch: readOutcomesSearch,
  component: lazyRouteComponent(() => latePart(() => import('./pages/outcomes/outcomes-page.tsx')), 'OutcomesPage'),
});

const event = createRoute({
  getParentRoute: () => workspace,
  path: 'events/$event',
  validateSearch: readEventSearch,
  component: lazyRouteComponent(() => latePart(() => import('./pages/event/event-page.tsx')), 'EventPage'),
});

const entity = createRoute({
  getParentRoute: () => workspace,
  path: 'about/$kind/$ref',
  validateSearch: readEntitySearch,
  component: lazyRouteComponent(() => latePart(() => import('./pages/entity/entity-page.tsx')), 'EntityPage'),
});

const search = createRoute({
  getParentRoute: () => workspace,
  path: 'search',
  validateSearch: (given: Record<string, unknown>): { text?: string } => defined({ text: textMember(given['text']) }),
  component: lazyRouteComponent(() => latePart(() => import('./pages/search/search-page.tsx')), 'SearchPage'),
});

const audit = createRoute({
  getParentRoute: () => workspace,
  path: 'audit',
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => latePart(() => import('./pages/audit/audit-page.tsx')), 'AuditPage'),
});

const policy = createRoute({
  getParentRoute: () => workspace,
  path: 'policy',
  validateSearch: readPolicySearch,
  component: lazyRouteComponent(() => latePart(() => import('./pages/policy/policy-page.tsx')), 'PolicyPage'),
});

const deliveries = createRoute({
  getParentRoute: () => workspace,
  path: 'deliveries',
  validateSearch: readActionsSearch,
  component: lazyRouteComponent(
    () => latePart(() => import('./pages/deliveries/deliveries-page.tsx')),
    'DeliveriesPage',
  ),
});

const action = createRoute({
  getParentRoute: () => workspace,
  path: 'deliveries/$action',
  component: lazyRouteComponent(() => latePart(() => import('./pages/deliveries/action-page.tsx')), 'ActionPage'),
});

const lists = createRoute({
  getParentRoute: () => workspace,
  path: 'lists',
  component: lazyRouteComponent(() => latePart(() => import('./pages/lists/lists-page.tsx')), 'ListsPage'),
});

const list = createRoute({
  getParentRoute: () => workspace,
  path: 'lists/$list',
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => latePart(() => import('./pages/lists/list-page.tsx')), 'ListPage'),
});

const integration = createRoute({
  getParentRoute: () => workspace,
  path: 'integration',
  component: lazyRouteComponent(
    () => latePart(() => import('./pages/integration/integration-page.tsx')),
    'IntegrationPage',
  ),
});

const settings = createRoute({
  getParentRoute: () => workspace,
  path: 'settings',
  component: lazyRouteComponent(() => latePart(() => import('./pages/settings/settings-page.tsx')), 'SettingsPage'),
});

const pages = [
  overview,
  alerts,
  holds,
  events,
  outcomes,
  event,
  entity,
  search,
  audit,
  policy,
  deliveries,
  action,
  lists,
  list,
  integration,
  settings,
];
const tree = root.addChildren([login, first, invitation, home, nowhere, workspace.addChildren(pages)]);

/** Requires a session; otherwise redirects to the login and back. */
async function gate(queryClient: QueryClient, to: string) {
  try {
    return await readSession(queryClient);
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 401) throw error;
    throw redirect({ to: '/login', search: to === '/' ? {} : { to } });
  }
}

export function makeRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: tree,
    basepath: '/console',
    context: { queryClient },
    defaultPreload: 'intent',
    scrollRestoration: true,
    // Remount for another client, event or workspace, so that no state carries over.
    defaultRemountDeps: ({ params }) => params,
    // Shows a pending state soon: with slow modules or an unreachable service, the old page would look frozen.
    defaultPendingComponent: Loading,
    defaultNotFoundComponent: MissingPage,
    defaultErrorComponent: CrashPage,
  });
}
