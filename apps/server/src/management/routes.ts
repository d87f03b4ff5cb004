import type { Route } from './operation.ts';
import { accountRoutes } from './routes/accounts.ts';
import { actionRoutes } from './routes/actions.ts';
import { alertRoutes } from './routes/alerts.ts';
import { auditRoutes } from './routes/audit.ts';
import { backtestRoutes } from './routes/backtests.ts';
import { clientNoteRoutes } from './routes/client-notes.ts';
import { clientRoutes } from './routes/clients.ts';
import { closeAlertRoutes } from './routes/close-alerts.ts';
import { deviceKeyRoutes } from './routes/device-keys.ts';
import { eventRoutes } from './routes/events.ts';
import { eventSearchRoutes } from './routes/event-search.ts';
import { historyRoutes } from './routes/history.ts';
import { integrationRoutes } from './routes/integration.ts';
import { keyRoutes } from './routes/keys.ts';
import { labelRoutes } from './routes/labels.ts';
import { listRoutes } from './routes/lists.ts';
import { ruleSuppressionRoutes } from './routes/rule-suppressions.ts';
import { liveRoutes } from './routes/live.ts';
import { overviewRoutes } from './routes/overview.ts';
import { policyRequestRoutes } from './routes/policy-requests.ts';
import { policyHealthRoutes } from './routes/policy-health.ts';
import { policyRoutes } from './routes/policies.ts';
import { placeRoutes } from './routes/places.ts';
import { searchRoutes } from './routes/search.ts';
import { secondFactorRoutes } from './routes/second-factor.ts';
import { serviceRoutes } from './routes/service.ts';
import { sessionRoutes } from './routes/session.ts';
import { signingRoutes } from './routes/signing.ts';
import { triggerActionRoutes } from './routes/trigger-action.ts';
import { whatIfRoutes } from './routes/what-if.ts';
import { workspaceRoutes } from './routes/workspaces.ts';

/** Everything that the management API can do, in the order of its document. */
export const managementRoutes: readonly Route[] = [
  ...workspaceRoutes,
  ...keyRoutes,
  ...signingRoutes,
  ...deviceKeyRoutes,
  ...policyRoutes,
  ...policyHealthRoutes,
  ...policyRequestRoutes,
  ...listRoutes,
  ...ruleSuppressionRoutes,
  ...eventRoutes,
  ...whatIfRoutes,
  ...eventSearchRoutes,
  ...labelRoutes,
  ...backtestRoutes,
  ...historyRoutes,
  ...actionRoutes,
  ...triggerActionRoutes,
  ...clientRoutes,
  ...integrationRoutes,
  ...serviceRoutes,
  ...alertRoutes,
  ...closeAlertRoutes,
  ...overviewRoutes,
  ...searchRoutes,
  ...placeRoutes,
  ...clientNoteRoutes,
  ...liveRoutes,
  ...sessionRoutes,
  ...secondFactorRoutes,
  ...accountRoutes,
  ...auditRoutes,
];
