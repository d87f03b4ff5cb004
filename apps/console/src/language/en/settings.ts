export const settings = {
  block: 'Length of a block, in hours',
  blockHint: 'How long an executed block of a client counts for rules.',
  cards: 'Card numbers in free text',
  cardsChoice: { mask: 'Mask them', refuse: 'Refuse the event' },
  fourEyes: 'A policy decides only once a second person approved it',
  grace: 'Grace for logins, in seconds',
  graceHint: 'How long an operation waits for its login.',
  keepActions: 'Keep actions',
  keepEvents: 'Keep events',
  keepHint: 'Days like 400d, or forever.',
  readOnly:
    'You can read this. Changing it needs an administrator, and settings that the configuration file does not own.',
  timezone: 'Time zone',
  workspace: 'Workspace',
};
