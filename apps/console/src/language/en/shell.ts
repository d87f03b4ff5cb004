export const act = {
  cancel: 'Cancel',
  close: 'Close',
  copied: 'Copied',
  copy: 'Copy',
  save: 'Save',
  show: 'Show',
  undo: 'Undo',
};

export const state = {
  crashed: 'This is a mistake of the console, not yours.',
  crashedTitle: 'This page could not be shown',
  forbidden: 'You do not have the right to see this',
  home: 'To the overview',
  loading: 'Loading',
  missing: 'There is no such page',
  no: 'No',
  nowhere: 'An administrator can give you a role in a workspace. Then load this page again.',
  nowhereTitle: 'You have no role in any workspace yet',
  retry: 'Try again',
  saved: 'Saved',
  yes: 'Yes',
};

export const section = {
  overview: 'Overview',
  events: 'Events',
  policy: 'Policy',
  deliveries: 'Deliveries',
  integration: 'Integration',
  settings: 'Settings',
  audit: 'Audit',
};

export const shell = {
  account: 'Account of {{name}}',
  behind_one: '{{count}} event not decided',
  behind_other: '{{count}} events not decided',
  development: 'Development',
  find: 'Find',
  keyboard: 'Keyboard shortcuts',
  language: 'Language',
  logOut: 'Log out',
  looks: 'Looks',
  observe: 'Observing',
  observeHint: 'This workspace decides and sends nothing. Switch it to live under Integration.',
  ownAccount: 'Your account',
  pages: 'Pages',
  paused: 'Sending is paused',
  personalHint: 'Names and numbers of clients. That you looked at them is written to the audit log.',
  personalMasked: 'Masked',
  personalShown: 'Shown',
  production: 'Production',
  search: 'Search or go to',
  searchHint: 'Client, session, event, action, rule or page',
  searchNothing: 'Nothing is called so.',
  skip: 'Skip to the page',
  switchTheme: 'Switch between light and dark',
  theme: 'Theme',
  themes: { system: 'Like the system', light: 'Light', dark: 'Dark' },
  workspace: 'Workspace',
};

export const search = {
  action: 'Open the action',
  anything: 'Find whatever is called so',
  event: 'Open the event',
  lead: 'Exactly so called: nothing finds a part of a name.',
  none: 'Nothing is called exactly so',
  noneHint:
    'Write it as the bank does: a client, a session, a device, an address, an account, a payee, a reference or an id.',
  nothingTyped: 'Type what you look for',
  rule: 'Events on which the rule fired',
  title: 'Search: {{text}}',
};

export const time = {
  between: 'Between two instants',
  from: 'From',
  hint: 'In the time of this browser. Left out: until now.',
  label: 'Time',
  last: {
    '1h': 'The last hour',
    '24h': 'The last 24 hours',
    '7d': 'The last 7 days',
    '30d': 'The last 30 days',
    '90d': 'The last 90 days',
  },
  now: 'now',
  to: 'To',
};

export const keys = {
  anywhere: 'Anywhere',
  close: 'Close what is open',
  help: 'This help',
  lists: 'In lists',
  next: 'Next row',
  open: 'Open the row',
  pages: 'Go to',
  previous: 'Row before',
  search: 'Search or go to',
  title: 'Keyboard shortcuts',
};

export const login = {
  act: 'Log in',
  code: 'Code',
  codeHint: 'Six digits of your authenticator app, or a recovery code.',
  email: 'E-mail address',
  first: 'Nobody has an account yet. The service printed a link for the first administrator when it started.',
  firstAct: 'Make my account',
  firstLead: 'You are the first. This account may do everything.',
  firstTitle: 'Welcome to Ringfence',
  invitationAct: 'Set the password',
  invitationDone: 'The password is set. Log in as {{email}}.',
  invitationLead: 'An administrator made an account for you.',
  invitationTitle: 'Choose your password',
  name: 'Your name',
  noToken: 'This link is not whole. Copy all of it, with what stands behind the #.',
  password: 'Password',
  passwordHint: 'At least 12 characters.',
  title: 'Log in',
};
