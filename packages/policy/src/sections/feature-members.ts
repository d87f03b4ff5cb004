/** A field of a feature other than its kind, as an analyst writes it. */
export interface FeatureMember {
  readonly name: string;
  /** One or more sentences for the analyst. */
  readonly doc: string;
  readonly example: string;
}

/** The one table used by the reader, the reference page and the editor's completion. */
export const featureMembers = [
  {
    name: 'by',
    doc: 'The entity: one fact, or up to four together. Each combination of their values has its own feature.',
    example: 'by: [client.id, payee.id]',
  },
  {
    name: 'over',
    doc: 'Its window, which ends with the event: from 1m to 90d. It can be a parameter: `params.habitWindow`.',
    example: 'over: 24h',
  },
  {
    name: 'where',
    doc: 'A condition: only events for which it is true count. It reads facts and lists, not features.',
    example: 'where: \'transaction.category == "transfer"\'',
  },
  {
    name: 'on',
    doc: 'Which events count: `login`, `logout`, `operation`; or `outcome` alone, for the outcomes that the bank reports about them. If absent: all events that can have the facts it reads, or outcomes if it reads one of their facts.',
    example: 'on: [login, operation]',
  },
  { name: 'at', doc: 'For a percentile: the percentage, from 0.1 to 99.9.', example: 'at: 95' },
  { name: 'per', doc: 'For a rate: the span of time that it is per, at most its window.', example: 'per: 1h' },
  { name: 'to', doc: 'For a ratio: the feature that it is divided by.', example: 'to: clientAmount30d' },
  {
    name: 'halfLife',
    doc: 'For a profile: the span after which the weight of an event halves, from 1h to 90d.',
    example: 'halfLife: 30d',
  },
  {
    name: 'after',
    doc: 'For kinds over labels, such as fraudShare: how old events must be to count, less than its window.',
    example: 'after: 2d',
  },
  {
    name: 'excluding',
    doc: 'What its value on an event leaves out: `this`, the event itself. Use it where a rule compares the event with the feature.',
    example: 'excluding: this',
  },
  {
    name: 'description',
    doc: 'For people; has no effect on decisions.',
    example: 'description: what they usually pay',
  },
] as const satisfies readonly FeatureMember[];
