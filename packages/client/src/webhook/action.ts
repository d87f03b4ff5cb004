/** The default actions, spec section 6. From 6 on, the bank defines the meaning of the numbers. */
export const actions = { blockUser: 1, closeSession: 2, sendEmail: 3, sendSms: 4, sendEmailAndSms: 5 } as const;

/** The body of a webhook request, spec 2.4. */
export interface ActionRequest {
  /** One of `actions`, or a custom one from 6 on. */
  readonly action: number;
  readonly channel: number;
  /** When the rule fired, ISO 8601. */
  readonly date: string;
  /** For the user: plain text, or an HTML template. */
  readonly message: string;
  /** The number of the rule that fired. */
  readonly reason: number;
  /** "" for an event without a session. */
  readonly session: string;
  /** The hashed user: compare it with `hashClient`. */
  readonly client: string;
  /** The user, RSA-OAEP, base64; only when the bank configured a public key. */
  readonly clientRSA?: string;
}

/** An action as the handler receives it: authentic, well-formed, and not executed before. */
export interface ReceivedAction extends ActionRequest {
  /** The `webhook-id`: the same each time the action is sent, and different for every action. */
  readonly id: string;
  /** Sent by a person to test the webhook: respond, and do nothing. */
  readonly isTest: boolean;
  /** The event that the action is about: the `id` that its report was answered with. Absent in a test. */
  readonly event?: string;
  /** The `id` of the action whose hold this one ends. */
  readonly resolves?: string;
  /** `transaction.reference` of the payment, if the workspace sends it and no card number was masked in it. */
  readonly reference?: string;
}

/** Prefix of the id of test actions. */
const testPrefix = 'test_';

/** The handler's result. */
export interface ActionResult {
  /** `false`: understood, and deliberately not executed. The service records this and by default does not retry. */
  readonly executed: boolean;
  /** Shown to the analyst. At most 1,000 characters are sent; values other than strings are ignored. */
  readonly message?: string;
}

/** The body of a webhook response, spec 2.5. */
export interface ActionResponse {
  readonly code: 0 | 1;
  readonly message?: string;
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
const isText = (value: unknown): value is string => typeof value === 'string';

/** The type of each member. Unknown members are ignored: a newer service may send more. */
const members = {
  action: isInteger,
  channel: isInteger,
  date: isText,
  message: isText,
  reason: isInteger,
  session: isText,
  client: isText,
  clientRSA: (value: unknown) => value === undefined || isText(value),
} as const satisfies Record<keyof ActionRequest, (value: unknown) => boolean>;

/** Parses the action; otherwise returns the name of the first invalid member ("body" when it is not a JSON object). */
export function parseAction(
  id: string,
  body: Uint8Array,
  headers: Pick<ReceivedAction, 'event' | 'resolves' | 'reference'> = {},
): ReceivedAction | { readonly wrong: string } {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return { wrong: 'body' };
  }
  if (typeof value !== 'object' || value === null) return { wrong: 'body' };
  const picked: Record<string, unknown> = { id, isTest: id.startsWith(testPrefix), ...headers };
  for (const [name, isRight] of Object.entries(members)) {
    const member: unknown = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    if (!isRight(member)) return { wrong: name };
    if (member !== undefined) picked[name] = member;
  }
  return picked as unknown as ReceivedAction;
}
