/** Why a report is not matched with an event, as it is stored. `%` means any text, as in SQL. */
const texts = {
  noOperation: 'this client has no operation with this reference',
  notDecided: 'the event is known, and not decided yet',
  notLookedUp: 'it could not be looked up',
  tooLate: 'none came within 24 hours: %',
  severalOperations: 'this client has % operations with this reference',
  noAddress: 'it names no event',
  unknownEvent: 'there is no such event in this workspace, or it is no longer kept',
  foreignEvent: 'event is not the id of an event of this environment',
  unusableEvent: 'the event was found, but %',
  otherClient: 'the event is of another client than user',
  otherEvent: 'webhookId and event name different events',
  unknownAction: 'there is no such action in this workspace, or it is no longer kept',
  foreignAction: 'the action is not of this workspace',
  noAction: 'webhookId is not the id of an action',
  erasedClient: 'the client was erased',
} as const;

export type OutcomeReason = keyof typeof texts;
export const outcomeReasons = Object.keys(texts) as readonly OutcomeReason[];

/** The text of a reason; `detail` takes the place of its `%`. */
export function reasonText(reason: OutcomeReason, detail: string | number = ''): string {
  return texts[reason].replace('%', () => String(detail));
}

/** The texts of a reason, for `like`. */
export function reasonPattern(reason: OutcomeReason): string {
  return texts[reason];
}

/** The reason of a text; `undefined` if another release wrote it. */
export function reasonOf(text: string): OutcomeReason | undefined {
  return outcomeReasons.find((reason) => {
    const [start = '', end] = texts[reason].split('%');
    return end === undefined ? text === start : text.startsWith(start) && text.endsWith(end);
  });
}
