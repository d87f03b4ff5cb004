import type { en } from '../en/en.ts';
import { accounts, backtest, integration, policy, settings } from './build.ts';
import { client, entity, event, events, trigger } from './events.ts';
import { clientAlerts, clientNotes, places, policyStart, policyTests, ruleHealth } from './health.ts';
import { find, inquiry, whatIf } from './inquiry.ts';
import { lists } from './lists.ts';
import { act, keys, login, search, section, shell, state, time } from './shell.ts';
import { action, alerts, audit, deliveries, overview } from './work.ts';

/** All Spanish texts of the console. */
export const es: typeof en = {
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
