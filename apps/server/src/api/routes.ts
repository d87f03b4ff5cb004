import type { Route } from './server/operation.ts';
import { accountRoutes } from './accounts/account-routes.ts';
import { actionRoutes } from './actions/action-routes.ts';
import { alertRoutes } from './alerts/alert-routes.ts';
import { eventViewRoutes } from './events/event-view-routes.ts';
import { alertViewRoutes } from './alerts/alert-view-routes.ts';
import { auditRoutes } from './audit/audit-routes.ts';
import { backtestRoutes } from './backtests/backtest-routes.ts';
import { clientNoteRoutes } from './clients/client-note-routes.ts';
import { clientRoutes } from './clients/client-routes.ts';
import { closeAlertRoutes } from './alerts/close-alerts-routes.ts';
import { deviceKeyRoutes } from './keys/device-key-routes.ts';
import { eventRoutes } from './events/event-routes.ts';
import { explanationRoutes } from './explanations/explanation-routes.ts';
import { eventSearchRoutes } from './events/event-search-routes.ts';
import { handOverRoutes } from './alerts/hand-over-routes.ts';
import { historyRoutes } from './history/history-routes.ts';
import { holdRoutes } from './holds/hold-routes.ts';
import { integrationRoutes } from './integration/integration-routes.ts';
import { modelRoutes } from './models/model-routes.ts';
import { keyRoutes } from './keys/key-routes.ts';
import { labelRoutes } from './labels/label-routes.ts';
import { listRoutes } from './lists/list-routes.ts';
import { notificationRoutes } from './notifications/notification-routes.ts';
import { outcomeRoutes } from './outcomes/outcome-routes.ts';
import { ruleSuppressionRoutes } from './policies/rule-suppression-routes.ts';
import { liveRoutes } from './live/live-routes.ts';
import { overviewRoutes } from './overview/overview-routes.ts';
import { policyRequestRoutes } from './policies/policy-request-routes.ts';
import { modelDriftRoutes } from './policies/model-drift-routes.ts';
import { ruleHistoryRoutes } from './policies/rule-history-routes.ts';
import { policyHealthRoutes } from './policies/policy-health-routes.ts';
import { policyRoutes } from './policies/policy-routes.ts';
import { placeRoutes } from './overview/login-place-routes.ts';
import { searchRoutes } from './search/search-routes.ts';
import { secondFactorRoutes } from './sessions/second-factor-routes.ts';
import { serviceRoutes } from './service/service-routes.ts';
import { streamRoutes } from './streams/stream-routes.ts';
import { sessionRoutes } from './sessions/session-routes.ts';
import { signingRoutes } from './keys/signing-routes.ts';
import { tokenRoutes } from './tokens/token-routes.ts';
import { triggerActionRoutes } from './actions/trigger-action-routes.ts';
import { whatIfRoutes } from './what-if/what-if-routes.ts';
import { workspaceRoutes } from './workspaces/workspace-routes.ts';

/** All operations of the management API, in the order of the document. */
export const managementRoutes: readonly Route[] = [
  ...workspaceRoutes,
  ...keyRoutes,
  ...signingRoutes,
  ...deviceKeyRoutes,
  ...policyRoutes,
  ...policyHealthRoutes,
  ...ruleHistoryRoutes,
  ...modelDriftRoutes,
  ...policyRequestRoutes,
  ...listRoutes,
  ...ruleSuppressionRoutes,
  ...eventRoutes,
  ...whatIfRoutes,
  ...explanationRoutes,
  ...eventSearchRoutes,
  ...labelRoutes,
  ...outcomeRoutes,
  ...backtestRoutes,
  ...modelRoutes,
  ...historyRoutes,
  ...actionRoutes,
  ...triggerActionRoutes,
  ...holdRoutes,
  ...clientRoutes,
  ...notificationRoutes,
  ...integrationRoutes,
  ...serviceRoutes,
  ...streamRoutes,
  ...alertRoutes,
  ...handOverRoutes,
  ...closeAlertRoutes,
  ...alertViewRoutes,
  ...eventViewRoutes,
  ...overviewRoutes,
  ...searchRoutes,
  ...placeRoutes,
  ...clientNoteRoutes,
  ...liveRoutes,
  ...sessionRoutes,
  ...secondFactorRoutes,
  ...accountRoutes,
  ...tokenRoutes,
  ...auditRoutes,
];
