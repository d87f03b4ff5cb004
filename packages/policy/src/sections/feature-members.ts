/** What a feature is told beside its kind, as an analyst writes it. */
export interface FeatureMember {
  readonly name: string;
  /** One or more sentences for the analyst. */
  readonly doc: string;
  readonly example: string;
}

/** The one table that the reader, the reference page and an editor's completion read. */
export const featureMembers = [
  {
    name: 'by',
    doc: 'What it is kept about: one fact, or up to four together. Every value of them has a feature of its own.',
    example: 'by: [client.id, payee.id]',
  },
  {
    name: 'over',
    doc: 'Its window, which ends with the event: from 1m to 90d. A parameter may say it: `params.habitWindow`.',
    example: 'over: 24h',
  },
  {
    name: 'where',
    doc: 'A condition: only events for which it is true count. It reads facts and lists, not features.',
    example: 'where: \'transaction.category == "transfer"\'',
  },
  {
    name: 'on',
    doc: 'Which events count: `login`, `logout`, `operation`. Left out: all that can have the facts it reads.',
    example: 'on: [login, operation]',
  },
  { name: 'at', doc: 'Of a percentile: how many percent, from 0.1 to 99.9.', example: 'at: 95' },
  { name: 'per', doc: 'Of a rate: the span of time that it is per, at most its window.', example: 'per: 1h' },
  { name: 'to', doc: 'Of a ratio: the feature that it is divided by.', example: 'to: clientAmount30d' },
  {
    name: 'halfLife',
    doc: 'Of a profile: the span after which an event counts half, from 1h to 90d.',
    example: 'halfLife: 30d',
  },
  {
    name: 'after',
    doc: 'Of a share of fraud: how old events are before they count, less than its window.',
    example: 'after: 2d',
  },
  { name: 'description', doc: 'For people; decides nothing.', example: 'description: what they usually pay' },
] as const satisfies readonly FeatureMember[];
