export const policy = {
  activeVersion: 'Version {{version}} decides.',
  broken_one: 'This version does not load: {{count}} mistake.',
  broken_other: 'This version does not load: {{count}} mistakes.',
  mode: { live: 'Live', shadow: 'Shadow', off: 'Off' },
  noVersion: 'No policy is active: no rule fires.',
  rulesOf_one: '{{count}} rule',
  rulesOf_other: '{{count}} rules',
};
