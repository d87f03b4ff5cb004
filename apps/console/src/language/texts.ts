import * as accounts from './accounts.ts';
import * as alerts from './alerts.ts';
import * as audit from './audit.ts';
import * as backtests from './backtests.ts';
import * as deliveries from './deliveries.ts';
import * as entity from './entity.ts';
import * as events from './events.ts';
import * as fraudTypes from './fraud-types.ts';
import * as health from './health.ts';
import * as holds from './holds.ts';
import * as inquiry from './inquiry.ts';
import * as integration from './integration.ts';
import * as lists from './lists.ts';
import * as models from './models.ts';
import * as modelReasons from './model-reasons.ts';
import * as notifications from './notifications.ts';
import * as outcomes from './outcomes.ts';
import * as overview from './overview.ts';
import * as policy from './policy.ts';
import * as ruleBuilder from './rule-builder.ts';
import * as settings from './settings.ts';
import * as shell from './shell.ts';
import * as streams from './streams.ts';
import * as tokens from './tokens.ts';
import * as views from './views.ts';

/** All texts of the console. Each file has those of one area, in every language. */
export const en = {
  ...accounts.en,
  ...alerts.en,
  ...audit.en,
  ...backtests.en,
  ...deliveries.en,
  ...entity.en,
  ...events.en,
  ...fraudTypes.en,
  ...health.en,
  ...holds.en,
  ...inquiry.en,
  ...integration.en,
  ...lists.en,
  ...models.en,
  ...modelReasons.en,
  ...notifications.en,
  ...outcomes.en,
  ...overview.en,
  ...policy.en,
  ...ruleBuilder.en,
  ...settings.en,
  ...shell.en,
  ...streams.en,
  ...tokens.en,
  ...views.en,
};

export const es: typeof en = {
  ...accounts.es,
  ...alerts.es,
  ...audit.es,
  ...backtests.es,
  ...deliveries.es,
  ...entity.es,
  ...events.es,
  ...fraudTypes.es,
  ...health.es,
  ...holds.es,
  ...inquiry.es,
  ...integration.es,
  ...lists.es,
  ...models.es,
  ...modelReasons.es,
  ...notifications.es,
  ...outcomes.es,
  ...overview.es,
  ...policy.es,
  ...ruleBuilder.es,
  ...settings.es,
  ...shell.es,
  ...streams.es,
  ...tokens.es,
  ...views.es,
};
