export const settings = {
  block: 'Block duration (hours)',
  blockHint: 'How long rules treat a client as blocked after the block was executed.',
  cards: 'Card numbers in free text',
  cardsChoice: { mask: 'Mask', refuse: 'Reject the event' },
  fourEyes: 'A second person must approve each policy change',
  grace: 'Login grace period (seconds)',
  graceHint: 'How long an operation waits for its login.',
  keepActions: 'Retention of actions',
  keepEvents: 'Retention of events',
  keepHint: 'A number of days such as 400d, or forever.',
  readOnly:
    'Read-only: changes require an administrator, and settings in the configuration file can only be changed there.',
  timezone: 'Time zone',
  workspace: 'Workspace',
};
