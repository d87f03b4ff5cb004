import { isLicenseKey } from '../license-key.ts';
import { type ActionResponse, type ActionResult, parseAction, type ReceivedAction } from './action.ts';
import {
  type ActionHeaders,
  areHeadersSigned,
  decodeSecret,
  hasKey,
  isSigned,
  type SignatureHeaders,
} from './credentials.ts';
import { createMemoryDedupeStore, type DedupeStore } from './dedupe-store.ts';

/** Characters of a handler's message that are sent back: it is shown in one line of a list. */
const messageCharactersMax = 1_000;
/** The longest accepted `webhook-id`: the service's have about 60 characters. */
const idCharactersMax = 256;

export interface WebhookReceiverOptions {
  /** The license key that the service sends; two during a rotation. */
  readonly licenseKeys: string | readonly string[];
  /** The workspace's signing secret (`whsec_...`); two during a rotation. */
  readonly signingSecrets: string | readonly string[];
  /** Executes the action. If it throws, the response is 500, and the service sends the action again. */
  readonly onAction: (action: ReceivedAction) => ActionResult | Promise<ActionResult>;
  /** Default: in this process's memory. */
  readonly dedupe?: DedupeStore;
  /** The maximum age of a signature, or how far it may be ahead. Default 300 s, as in Standard Webhooks. */
  readonly toleranceSeconds?: number;
  /**
   * Receives refused requests and errors for the bank's own log, because the response reveals little. Never contains a
   * secret.
   */
  readonly onTrouble?: (trouble: WebhookTrouble) => void;
  /** Milliseconds since 1970. */
  readonly nowMs?: () => number;
}

export type WebhookTrouble =
  | {
      readonly kind: 'refused';
      readonly why: 'key' | 'headers' | 'timestamp' | 'signature' | 'payload';
      readonly detail: string;
    }
  | { readonly kind: 'failed'; readonly action: ReceivedAction; readonly error: unknown };

export interface WebhookRequest {
  /** By lower-case name, as in Node. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The original bytes. JSON that was parsed and printed again has a different signature. */
  readonly body: Uint8Array;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ActionResponse;
}

/** Answers webhook requests, independent of the server. Never rejects. */
export interface WebhookReceiver {
  receive(request: WebhookRequest): Promise<WebhookAnswer>;
}

/**
 * Checks a request (key, then signature and its age, the signed headers, then payload), executes its action once, and answers.
 *
 * A repeat of an executed action gets the same answer; a repeat of a running one waits for it. An action that failed or
 * was not executed is not remembered: the service sends it again if it is configured to.
 *
 * @throws TypeError when a key or secret is missing or malformed
 */
export function createWebhookReceiver(options: WebhookReceiverOptions): WebhookReceiver {
  const keys = listOf('licenseKeys', options.licenseKeys);
  if (!keys.every(isLicenseKey))
    throw new TypeError('licenseKeys must be printable ASCII, without leading or trailing white space');
  const secrets = listOf('signingSecrets', options.signingSecrets).map(decodeSecret);
  if (typeof options.onAction !== 'function') throw new TypeError('onAction is required: it executes the action');
  const toleranceSeconds = options.toleranceSeconds ?? 300;
  const nowMs = options.nowMs ?? Date.now;
  const run = runOnce(options);

  const refuse = (status: number, why: RefusedWhy, detail: string): WebhookAnswer => {
    report(options, { kind: 'refused', why, detail });
    return answerOf(status, { code: 0, message: status === 401 ? 'not authorized' : detail });
  };

  return {
    receive: async ({ headers, body }) => {
      if (!hasKey(textOf(headers['authorization']), keys))
        return refuse(401, 'key', 'the Bearer token is not our license key');
      const signed = readSignature(headers);
      if (signed === undefined) return refuse(401, 'headers', 'a webhook- header is missing or malformed');
      const ageSeconds = Math.abs(nowMs() / 1_000 - Number(signed.timestamp));
      if (!(ageSeconds <= toleranceSeconds))
        return refuse(401, 'timestamp', 'the signature is too old or from the future');
      if (!isSigned(signed, body, secrets)) return refuse(401, 'signature', 'the signature does not match');
      const told = readActionHeaders(headers);
      if (!areHeadersSigned(signed, told, secrets))
        return refuse(401, 'signature', 'the ringfence- headers are missing, or do not belong to this request');
      const reference = decodeReference(told.reference);
      if (reference === undefined) return refuse(400, 'headers', 'ringfence-reference is not percent-encoded UTF-8');
      const { event, resolves } = told;
      const action = parseAction(signed.id, body, {
        ...(event === '' ? {} : { event }),
        ...(resolves === '' ? {} : { resolves }),
        ...(reference === '' ? {} : { reference }),
      });
      if ('wrong' in action) return refuse(400, 'payload', `${action.wrong} does not match the interface`);
      return run(action);
    },
  };
}

type RefusedWhy = Extract<WebhookTrouble, { kind: 'refused' }>['why'];

/** Executes each action once: the store knows the completed ones, a map those that run in this process. */
function runOnce(options: WebhookReceiverOptions): (action: ReceivedAction) => Promise<WebhookAnswer> {
  const dedupe = options.dedupe ?? createMemoryDedupeStore();
  const running = new Map<string, Promise<WebhookAnswer>>();

  async function run(action: ReceivedAction): Promise<WebhookAnswer> {
    let isClaimed = false;
    try {
      const claim = await dedupe.claim(action.id);
      if (claim.kind === 'answered') return answerOf(200, claim.answer);
      if (claim.kind === 'running')
        return answerOf(503, { code: 0, message: 'the action is still being executed' }, { 'retry-after': '5' });
      isClaimed = true;
      const answer = responseOf(await options.onAction(action));
      // It was executed, or deliberately not: from here on no failure may make the service send it again.
      await note(action, answer);
      return answerOf(200, answer);
    } catch (error) {
      report(options, { kind: 'failed', action, error });
      if (isClaimed) await release(action);
      return answerOf(500, { code: 0, message: 'the action could not be executed' });
    }
  }

  /** Errors are ignored: the action has failed already, and the claim expires. */
  async function release(action: ReceivedAction): Promise<void> {
    try {
      await dedupe.release(action.id);
    } catch (error) {
      report(options, { kind: 'failed', action, error });
    }
  }

  async function note(action: ReceivedAction, answer: ActionResponse): Promise<void> {
    try {
      await (answer.code === 1 ? dedupe.complete(action.id, answer) : dedupe.release(action.id));
    } catch (error) {
      report(options, { kind: 'failed', action, error });
    }
  }

  return (action) => {
    const first = running.get(action.id);
    if (first !== undefined) return first;
    const answer = run(action).finally(() => running.delete(action.id));
    running.set(action.id, answer);
    return answer;
  };
}

/** @throws TypeError when a handler returns something else */
function responseOf(result: ActionResult): ActionResponse {
  // The handler may be plain JavaScript: `executed` must be explicit. A message that is not a string is ignored.
  if (typeof (result as ActionResult | undefined)?.executed !== 'boolean') {
    throw new TypeError('onAction must return { executed: true | false, message? }');
  }
  const code = result.executed ? 1 : 0;
  if (typeof result.message !== 'string') return { code };
  // Cutting may split a surrogate pair; the remaining half is replaced.
  return { code, message: result.message.slice(0, messageCharactersMax).toWellFormed() };
}

function readSignature(headers: WebhookRequest['headers']): SignatureHeaders | undefined {
  const id = textOf(headers['webhook-id']) ?? '';
  const timestamp = textOf(headers['webhook-timestamp']) ?? '';
  const signature = textOf(headers['webhook-signature']) ?? '';
  if (id === '' || id.length > idCharactersMax || !/^\d{1,12}$/.test(timestamp) || signature === '') return undefined;
  return { id, timestamp, signature };
}

function readActionHeaders(headers: WebhookRequest['headers']): ActionHeaders {
  const [event, resolves, reference, signature] = ['event', 'resolves', 'reference', 'signature'].map(
    (name) => textOf(headers[`ringfence-${name}`]) ?? '',
  );
  return { event: event!, resolves: resolves!, reference: reference!, signature: signature! };
}

function decodeReference(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

function report(options: WebhookReceiverOptions, trouble: WebhookTrouble): void {
  try {
    const returned: unknown = options.onTrouble?.(trouble);
    if (returned instanceof Promise) returned.catch(() => undefined);
  } catch {
    // A failing log must not turn an executed action into a failed one.
  }
}

/** An answer in the shape of the interface, spec 2.5, for any status. */
export function answerOf(
  status: number,
  body: ActionResponse,
  headers: Readonly<Record<string, string>> = {},
): WebhookAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0];
}

/** @throws TypeError when it is empty: most likely an environment variable is not set */
function listOf(name: string, given: string | readonly string[] | undefined): readonly string[] {
  const all = typeof given === 'string' ? [given] : (given ?? []);
  if (all.length === 0 || all.some((one) => typeof one !== 'string' || one === '')) {
    throw new TypeError(`${name} is empty: is its environment variable set?`);
  }
  return all;
}
