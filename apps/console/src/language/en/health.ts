/** How rules do, what their tests say, and what is known of where clients come from. */
export const policyTests = {
  allFired: 'Every rule that is not of a pack fires in a test.',
  allMissed: 'Every rule that is not of a pack has a near miss in a test.',
  failed_one: '{{count}} failed',
  failed_other: '{{count}} failed',
  failing: 'Tests that fail',
  goOn_one: 'Go on although {{count}} test fails',
  goOn_other: 'Go on although {{count}} tests fail',
  goOnUnplayed: 'Go on although the tests were not played',
  hint: 'Played by the service, on the engine that decides, as the files stand here. Nothing is kept.',
  itFailed: 'Failed',
  itPassed: 'Passed',
  none: 'The policy has no tests',
  notYet: 'The tests were not played yet',
  passed_one: '{{count}} passed',
  passed_other: '{{count}} passed',
  playing: 'The tests of the policy are played…',
  run: 'Play the tests',
  tests: 'Tests',
  unfired: 'Rules that no test fires',
  unmissed: 'Rules without a near miss',
  unmissedHint: 'No test shows an event on which one part of the condition less would have fired them.',
};

export const policyStart = {
  failed: 'could not begin with history: {{error}}',
  meanwhile: 'version {{version}} decides meanwhile',
  progress: 'How far the features of version {{version}} are filled',
  title: 'Version {{version}} fills its new features from history',
  warm: 'New features begin with the history of the log',
  warmHint: 'They are filled first; until then the version that decides now goes on.',
};

export const ruleHealth = {
  cost: 'Cost',
  fired: 'Fired',
  heldBack: 'Held back',
  hint: 'since this version decides, some seconds old; precision by the newest 20,000 labels',
  meaning: {
    cost: 'The most that its condition takes for one event, known before it runs, in steps of about 10 ns; below it what it reads. A feature is looked up once for all rules.',
    fired: 'How often it fired and acted.',
    heldBack: 'How often it fired within its cooldown, or for a client or payee that it leaves alone.',
    missing: 'How often a fact was missing that its condition needs: it cannot fire then.',
    precision: 'Share of fraud among the labelled events on which it fired.',
    shadow: 'How often it fired in shadow.',
  },
  missing: 'Missing facts',
  mode: 'Mode',
  ofLabelled_one: 'of {{count}}',
  ofLabelled_other: 'of {{count}}',
  precision: 'Precision',
  reads_one: '{{facts}} read, {{count}} feature',
  reads_other: '{{facts}} read, {{count}} features',
  shadow: 'Shadow',
  steps_one: 'up to {{shown}} step',
  steps_other: 'up to {{shown}} steps',
  title: 'Health of the rules',
};

export const places = {
  fired_one: 'a rule fired {{count}} time',
  fired_other: 'a rule fired {{count}} times',
  hint: 'by the newest 300 logins and logouts',
  none: 'Nothing is known of where it came from',
  noneHint: 'Countries are known of logins and logouts with an address that a table knows.',
  times_one: '{{count}} time',
  times_other: '{{count}} times',
  title: 'Places',
};

export const clientNotes = {
  add: 'Note it',
  none: 'Nothing was noted yet.',
  title: 'Notes',
  write: 'What should others know?',
};

export const clientAlerts = {
  decisions_one: '{{count}} decision',
  decisions_other: '{{count}} decisions',
  open: 'Open',
  title: 'What people found out',
};
