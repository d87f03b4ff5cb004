/** What the service asks for by default, spec section 6. From 6 on, the bank gives the numbers their meaning. */
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
  /** The user, hashed: compare it with `hashClient`. */
  readonly client: string;
  /** The user, RSA-OAEP, base64; only when the bank gave a public key. */
  readonly clientRSA?: string;
}

/** An action as the handler gets it: authentic, well-formed, and not seen before. */
export interface ReceivedAction extends ActionRequest {
  /** The `webhook-id`: the same each time the action is sent, and no other action's. */
  readonly id: string;
  /** Sent by a person to see whether the webhook answers: answer it, and do nothing. */
  readonly isTest: boolean;
}

/** Begins the id of every action that is sent as a test. */
const testPrefix = 'test_';

/** What the handler says of an action. */
export interface ActionResult {
  /** `false`: it was understood, and deliberately not done. Recorded by the service, and by default not sent again. */
  readonly executed: boolean;
  /** Shown to the analyst. At most 1,000 characters are sent; what is no string is left out. */
  readonly message?: string;
}

/** The body of a webhook response, spec 2.5. */
export interface ActionResponse {
  readonly code: 0 | 1;
  readonly message?: string;
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
const isText = (value: unknown): value is string => typeof value === 'string';

/** What each member must be. Members that are not here are left out: a newer service may send more. */
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

/** The action, or the name of the first member that is not what the interface says ("body" when it is no JSON object). */
export function parseAction(id: string, body: Uint8Array): ReceivedAction | { readonly wrong: string } {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return { wrong: 'body' };
  }
  if (typeof value !== 'object' || value === null) return { wrong: 'body' };
  const picked: Record<string, unknown> = { id, isTest: id.startsWith(testPrefix) };
  for (const [name, isRight] of Object.entries(members)) {
    const member: unknown = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    if (!isRight(member)) return { wrong: name };
    if (member !== undefined) picked[name] = member;
  }
  return picked as unknown as ReceivedAction;
}
