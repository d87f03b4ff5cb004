import { accounts } from './accounts.ts';
import { alerts } from './alerts.ts';
import { audit } from './audit.ts';
import { action, deliveries } from './deliveries.ts';
import { entity } from './entity.ts';
import { client, event, events, trigger } from './events.ts';
import { clientAlerts, clientNotes, places, policyStart, policyTests, ruleHealth } from './health.ts';
import { find, inquiry, whatIf } from './inquiry.ts';
import { integration } from './integration.ts';
import { lists } from './lists.ts';
import { overview } from './overview.ts';
import { backtest, policy } from './policy.ts';
import { settings } from './settings.ts';
import { act, keys, login, search, section, shell, state, time } from './shell.ts';

/** All English texts of the console. Other languages have the same members. */
export const en = {
  accounts,
  act,
  action,
  alerts,
  audit,
  backtest,
  client,
  clientAlerts,
  clientNotes,
  deliveries,
  entity,
  event,
  events,
  find,
  inquiry,
  integration,
  keys,
  lists,
  login,
  overview,
  places,
  policy,
  policyStart,
  policyTests,
  ruleHealth,
  search,
  section,
  settings,
  shell,
  state,
  time,
  trigger,
  whatIf,
};
