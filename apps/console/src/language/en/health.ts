/** Rule health, policy tests, feature backfill, locations and notes. */
export const policyTests = {
  allFired: 'Every rule outside the packs fires in at least one test.',
  allMissed: 'Every rule outside the packs has a near-miss test.',
  failed_one: '{{count}} failed',
  failed_other: '{{count}} failed',
  failing: 'Failing tests',
  goOn_one: 'Continue despite {{count}} failing test',
  goOn_other: 'Continue despite {{count}} failing tests',
  goOnUnplayed: 'Continue without running the tests',
  hint: 'The service runs the tests of this draft on the live engine code. Nothing is stored.',
  itFailed: 'Failed',
  itPassed: 'Passed',
  none: 'The policy has no tests',
  notYet: 'The tests have not been run yet',
  passed_one: '{{count}} passed',
  passed_other: '{{count}} passed',
  playing: 'Running the tests of the policy…',
  run: 'Run tests',
  tests: 'Tests',
  unfired: 'Rules that fire in no test',
  unmissed: 'Rules without a near-miss test',
  unmissedHint: 'No test contains an event that misses these rules by exactly one condition.',
};

export const policyStart = {
  failed: 'feature backfill failed: {{error}}',
  meanwhile: 'version {{version}} stays active until then',
  progress: 'Feature backfill of version {{version}}',
  title: 'Version {{version}} is backfilling its new features',
  warm: 'Backfill new features from the history',
  warmHint: 'The current version stays active until the backfill is complete.',
};

export const ruleHealth = {
  cost: 'Cost',
  fired: 'Fired',
  heldBack: 'Suppressed',
  hint: 'since this version became active, a few seconds behind; precision from the latest 20,000 labels',
  meaning: {
    cost: 'Upper bound of evaluating the condition for one event, in steps of about 10 ns, with the values it reads below. A feature is read once for all rules.',
    fired: 'Number of times the rule fired and triggered its actions.',
    heldBack: 'Number of times the rule fired within its cooldown, or for an excepted client or payee.',
    missing: 'Number of times a fact that the condition needs was missing. The rule cannot fire then.',
    precision: 'Share of fraud among the labelled events that the rule flagged.',
    shadow: 'Number of times the rule fired in shadow mode.',
  },
  missing: 'Missing facts',
  mode: 'Mode',
  ofLabelled_one: 'of {{count}}',
  ofLabelled_other: 'of {{count}}',
  precision: 'Precision',
  reads_one: 'facts: {{facts}}, features: {{count}}',
  reads_other: 'facts: {{facts}}, features: {{count}}',
  shadow: 'Shadow',
  steps_one: 'up to {{shown}} step',
  steps_other: 'up to {{shown}} steps',
  title: 'Rule health',
};

export const places = {
  fired_one: 'flagged {{count}} time',
  fired_other: 'flagged {{count}} times',
  hint: 'last 300 logins and logouts',
  none: 'No known locations',
  noneHint: 'A country is known for logins and logouts whose address is in the location database.',
  times_one: '{{count}} time',
  times_other: '{{count}} times',
  title: 'Locations',
};

export const clientNotes = {
  add: 'Add note',
  none: 'No notes yet.',
  title: 'Notes',
  write: 'Write a note for other users',
};

export const clientAlerts = {
  decisions_one: '{{count}} decision',
  decisions_other: '{{count}} decisions',
  open: 'Open',
  title: 'Alert history',
};
