import { notificationSourcesSchema, notificationsSchema } from './notifications/notification-tables.ts';
import { lostActionsIndex } from './platform/observability/lost-deliveries.ts';
import { type Migration, releasesSchema } from './platform/database/migrate.ts';
import {
  agedAlertsIndex,
  alertQueueSchema,
  alertsSchema,
  alertVerdictsSchema,
  alertViewsSchema,
  riskiestEventSchema,
} from './console/alerts/alert-tables.ts';
import { accountsSchema, deciderRole, logInBoundsSchema } from './access/accounts/account-tables.ts';
import { tokensSchema } from './access/tokens/token-tables.ts';
import {
  checkedRangesSchema,
  closedPartitionsSchema,
  logHomeSchema,
  logLoopKindsSchema,
  logReadSchema,
  logSchema,
  newLifeSchema,
  placedSchema,
  quietAppendSchema,
} from '@ringfence/log';
import {
  deliverySchema,
  endedActionsIndex,
  finishedActionsIndex,
  largeOutboxIndexes,
  ruleActionsIndex,
  ruleStatesIndex,
  sessionOrderIndexes,
} from '@ringfence/delivery';
import { erasureForgottenSchema, retentionSchema } from './decide/retention/retention-tables.ts';
import { auditIntentSchema } from './access/audit/audit-intent.ts';
import { auditFiltersSchema, auditRestoreSchema, auditSchema } from './access/audit/audit-tables.ts';
import {
  backtestOptions,
  backtestSchema,
  cappedInBacktests,
  comparedFilesSchema,
  trainingsSchema,
} from './backtest/backtests/backtest-tables.ts';
import { clientNotesSchema } from './console/client-notes.ts';
import { eventReportsSchema } from './console/event-reports/report-tables.ts';
import { liveSchema } from './console/live/live-tables.ts';
import {
  consoleActionsSchema,
  consoleFiltersSchema,
  consoleRulesSchema,
  consoleSchema,
  consoleWarningsSchema,
  consoleSeenSchema,
  sentReferenceSchema,
} from './console/console-tables.ts';
import { directivesSchema, holdDirectivesSchema, listItemsSchema } from './policies/directives/directive-tables.ts';
import { outcomesSchema } from './outcomes/outcome-tables.ts';
import { adoptionSchema } from './tenancy/subjects/adoption.ts';
import { ingestTables } from './ingest/ingest-tables.ts';
import { policyActivationSchema } from './tenancy/workspaces/policy-activations.ts';
import { policyStartsSchema } from './decide/feature-backfill/backfill-tables.ts';
import { labelsSchema } from './console/labels/label-tables.ts';
import { holdSequence, holdsSchema, undeliveredEndsIndex } from './holds/hold-tables.ts';
import { historySchema } from './history/history-tables.ts';
import { chainSchema } from './decide/chain/chain-rows.ts';
import { segmentSchema, stateSealSchema } from './decide/entity-states/segment-rows.ts';
import { failoverTables } from './decide/failover.ts';
import { refusedPolicySchema } from './policies/refused-policy.ts';
import { hostSchema, shorterStatesSchema } from './decide/decide-tables.ts';
import { boundSealsSchema, retiredKeysSchema, secretsSchema } from './platform/secrets/secret-tables.ts';
import { cellsSchema, keyOwnersSchema } from './tenancy/cells/cell-tables.ts';
import { movesSchema } from './tenancy/move/move-tables.ts';
import { subjectsSchema } from './tenancy/subjects/subject-tables.ts';
import { emergencySchema, policyRequestSchema, policyRequestWarmSchema } from './policies/policy-requests.ts';
import { channelDeviceSchema, signingOverlapSchema, workspacesSchema } from './tenancy/workspaces/workspace-tables.ts';
import { auditKeySchema } from './access/audit/audit-key.ts';
import { auditSentSchema } from './access/audit/syslog/sent-entries.ts';
import { artifactsSchema } from './policies/stored-files.ts';
import { ownersFunctions } from './platform/database/runtime-role.ts';
import { eventViewsSchema } from './console/saved-view-tables.ts';
import { streamsSchema } from './streams/stream-tables.ts';
import { modelDaysSchema } from './decide/model-days.ts';
import {
  controlColumn,
  eventRangeFunctions,
  eventRangesSchema,
  payeeBankAndCountry,
} from './records/event-ranges/event-tables.ts';

/** All steps, oldest first. */
export const migrations: readonly Migration[] = [
  { name: '0001-log', sql: logSchema },
  { name: '0002-secrets', sql: secretsSchema },
  { name: '0003-workspaces', sql: workspacesSchema },
  { name: '0004-subjects', sql: subjectsSchema },
  { name: '0005-delivery', sql: deliverySchema },
  { name: '0006-host', sql: hostSchema },
  { name: '0007-door', sql: ingestTables },
  { name: '0008-signing-overlap', sql: signingOverlapSchema },
  { name: '0009-retention', sql: finishedActionsIndex + retentionSchema },
  { name: '0010-retired-keys', sql: retiredKeysSchema },
  { name: '0011-history', sql: historySchema },
  { name: '0012-channel-device', sql: channelDeviceSchema },
  { name: '0013-backtest', sql: backtestSchema },
  { name: '0014-accounts', sql: accountsSchema },
  { name: '0015-audit', sql: auditSchema },
  { name: '0016-console', sql: consoleSchema },
  { name: '0017-alerts', sql: alertsSchema },
  { name: '0018-labels', sql: labelsSchema },
  { name: '0019-policy-starts', sql: policyStartsSchema },
  { name: '0020-policy-requests', sql: policyRequestSchema },
  { name: '0021-live', sql: liveSchema },
  { name: '0022-console-filters', sql: consoleFiltersSchema },
  { name: '0023-directives', sql: directivesSchema },
  { name: '0024-audit-restore', sql: auditRestoreSchema },
  { name: '0025-list-items', sql: listItemsSchema, shutsOutOlder: true },
  { name: '0026-policy-request-warm', sql: policyRequestWarmSchema },
  { name: '0027-refused-policy', sql: refusedPolicySchema },
  { name: '0028-audit-intent', sql: auditIntentSchema },
  { name: '0029-console-warnings', sql: consoleWarningsSchema },
  { name: '0030-audit-filters', sql: auditFiltersSchema },
  { name: '0031-quiet-appends', sql: quietAppendSchema },
  { name: '0032-client-notes', sql: clientNotesSchema },
  { name: '0033-shorter-states', sql: shorterStatesSchema, shutsOutOlder: true },
  { name: '0034-log-read', sql: logReadSchema },
  { name: '0035-console-seen', sql: consoleSeenSchema },
  { name: '0036-erasure-forgotten', sql: erasureForgottenSchema },
  { name: '0037-new-life', sql: newLifeSchema },
  { name: '0038-ended-actions', sql: endedActionsIndex },
  { name: '0039-new-life-notes', sql: failoverTables },
  { name: '0040-large-outbox', sql: largeOutboxIndexes },
  { name: '0041-log-home', sql: logHomeSchema },
  { name: '0042-console-rules', sql: consoleRulesSchema },
  { name: '0043-console-actions', sql: consoleActionsSchema + ruleActionsIndex },
  { name: '0044-aged-alerts', sql: agedAlertsIndex },
  { name: '0045-releases', sql: releasesSchema, shutsOutOlder: true },
  { name: '0046-rule-states', sql: ruleStatesIndex },
  { name: '0047-session-order', sql: sessionOrderIndexes },
  { name: '0048-api-tokens', sql: tokensSchema },
  { name: '0049-reports-and-holds', sql: logLoopKindsSchema + holdDirectivesSchema, shutsOutOlder: true },
  { name: '0050-outcomes', sql: outcomesSchema },
  { name: '0051-event-reports', sql: eventReportsSchema, shutsOutOlder: true },
  { name: '0052-sent-reference', sql: sentReferenceSchema },
  { name: '0053-holds', sql: holdsSchema },
  { name: '0054-decider', sql: deciderRole },
  { name: '0055-hold-sequence', sql: holdSequence },
  { name: '0056-undelivered-ends', sql: undeliveredEndsIndex },
  { name: '0057-state-segments', sql: segmentSchema, shutsOutOlder: true },
  { name: '0058-capped', sql: cappedInBacktests },
  { name: '0059-event-ranges', sql: eventRangesSchema, shutsOutOlder: true },
  { name: '0060-audit-key', sql: auditKeySchema },
  { name: '0061-log-in-bounds', sql: logInBoundsSchema },
  { name: '0062-lost-actions', sql: lostActionsIndex },
  { name: '0063-bound-seals', sql: boundSealsSchema, shutsOutOlder: true, needsNoOther: true },
  { name: '0064-owners-functions', sql: checkedRangesSchema + eventRangeFunctions + ownersFunctions },
  { name: '0065-audit-sent', sql: auditSentSchema },
  { name: '0066-record-chain', sql: chainSchema + stateSealSchema, shutsOutOlder: true },
  { name: '0067-alert-riskiest', sql: riskiestEventSchema },
  { name: '0068-alert-verdicts', sql: alertVerdictsSchema },
  { name: '0069-alert-queue', sql: alertQueueSchema },
  { name: '0070-alert-views', sql: alertViewsSchema },
  { name: '0071-notifications', sql: notificationsSchema },
  { name: '0072-notification-sources', sql: notificationSourcesSchema },
  { name: '0075-payee-bank-and-country', sql: payeeBankAndCountry },
  { name: '0076-event-views', sql: eventViewsSchema },
  { name: '0077-backtest-options', sql: backtestOptions },
  { name: '0078-emergency-policies', sql: emergencySchema + policyActivationSchema },
  { name: '0079-trainings', sql: trainingsSchema },
  { name: '0080-control-group', sql: controlColumn },
  { name: '0081-model-days', sql: modelDaysSchema },
  { name: '0084-policy-artifacts', sql: artifactsSchema + comparedFilesSchema, shutsOutOlder: true },
  { name: '0085-cells', sql: closedPartitionsSchema + cellsSchema },
  { name: '0086-moves', sql: movesSchema },
  { name: '0087-streams', sql: streamsSchema },
  { name: '0088-placed-blocks', sql: placedSchema },
  { name: '0089-adoption-keys', sql: adoptionSchema },
  { name: '0090-key-owners', sql: keyOwnersSchema },
];
