/**
 * What a token of the management API may do: each scope covers reading or changing one kind of resource. An operation
 * belongs to one scope, or to none if it is reserved for people and the admin token.
 */
export const scopes = {
  'events:read': 'Read events, decisions, sessions, clients and their links, with personal data masked.',
  'personal:read': 'Show personal data in what the other scopes read. Each look is recorded in the audit log.',
  'alerts:read': 'Read alerts.',
  'alerts:write': 'Claim, comment, close and correct alerts.',
  'labels:read': 'Read labels.',
  'labels:write': 'Report what events turned out to be: fraud or legitimate.',
  'outcomes:read': 'Read reported outcomes, and why some match no event.',
  'outcomes:write': 'Report outcomes: step-ups, payments, fraud, chargebacks, unblocking.',
  'actions:read': 'Read actions and their delivery attempts.',
  'actions:write': 'Trigger, redeliver, release and discard actions; pause the deliveries of a workspace.',
  'holds:read': 'Read held payments and what was decided about them, with personal data masked.',
  'holds:decide': 'Release and reject held payments, and undo it.',
  'clients:read': 'Read notes about clients.',
  'clients:write': 'Unblock clients, and add notes about them.',
  'clients:erase': 'Erase clients, permanently.',
  'lists:read': 'Read lists and their items.',
  'lists:write': 'Add and remove items of lists.',
  'suppressions:read': 'Read rule exceptions.',
  'suppressions:write': 'Add and end rule exceptions.',
  'policies:read': 'Read, check, test and compare policies.',
  'policies:write': 'Apply and activate policies, and request their approval.',
  'backtests:read': 'Read backtests, trainings of models and imported histories.',
  'backtests:write': 'Start, cancel and remove backtests and trainings of models; remove imported histories.',
  'workspaces:read': 'Read workspaces and their settings.',
  'workspaces:write': 'Create workspaces; change their settings and channels.',
  'keys:read': 'List keys, without their text.',
  'keys:write': 'Create, promote, revoke and rotate keys and signing secrets.',
  'integration:read': 'Read refused requests, and the state of the webhook.',
  'integration:write': 'Test and re-enable the webhook.',
  'service:read': 'Read the state of the service.',
  'service:write': 'Pause and resume all deliveries.',
  'audit:read': 'Read, verify and export the audit log.',
} as const satisfies Readonly<Record<string, string>>;

export type Scope = keyof typeof scopes;

export const scopeNames = Object.keys(scopes) as readonly Scope[];

export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text);
}
