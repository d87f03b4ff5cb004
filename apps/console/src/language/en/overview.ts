export const overview = {
  goOn: 'Go on',
  hold: 'Hold',
  lead: 'What is going on.',
  live: 'Right now',
  quiet: 'Nothing arrives yet',
  quietHint: 'Send a first event: the examples under Integration are ready to copy.',
};
