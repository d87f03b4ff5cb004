export const audit = {
  action: 'What',
  actor: 'Who',
  address: 'From',
  at: 'When',
  detail: 'Details',
  hash: 'Link of the chain',
  lead: 'Who did what, and who looked at what. Each entry holds the hash of the one before it.',
  none: 'Nothing was done in this time',
  request: 'Request',
  target: 'With what',
};
