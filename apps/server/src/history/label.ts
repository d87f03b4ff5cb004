/** What was found out about an event later: it was fraud, or it was not. Most events have none. */
export type Label = 'fraud' | 'legitimate';
