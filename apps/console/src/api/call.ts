import { ApiProblem } from './api-problem.ts';
import { type Operations, operations } from './operations.generated.ts';

export type OperationId = keyof Operations;
export type Answer<Id extends OperationId> = Operations[Id]['answer'];

/** The input of an operation. */
export type Input<Id extends OperationId> = Operations[Id]['input'];

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** A request that no user action caused. It does not extend the session. */
  readonly background?: boolean;
  /** Arrives even if the page is left meanwhile. */
  readonly keepalive?: boolean;
}

/** The CSRF token of the session, sent with every change. A page of another origin cannot read it. */
let csrfToken = '';

export function rememberCsrfToken(token: string): void {
  csrfToken = token;
}

/**
 * Calls one operation of the management API.
 *
 * @throws ApiProblem for any status other than 2xx, and if the service is unreachable
 */
export async function call<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  options: CallOptions = {},
): Promise<Answer<Id>> {
  const text = await (await ask(id, input, options)).text();
  return (text === '' ? undefined : JSON.parse(text)) as Answer<Id>;
}

/** Like `call`, but returns the unread response. @throws ApiProblem as `call` */
export async function ask<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  options: CallOptions = {},
): Promise<Response> {
  const [method, path] = operations[id];
  const { params, query, body } = input as {
    readonly params?: Fields;
    readonly query?: Fields;
    readonly body?: unknown;
  };
  const headers: Record<string, string> = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(method === 'GET' ? {} : { 'x-csrf-token': csrfToken }),
    ...(options.background === true ? { 'x-background': '1' } : {}),
  };
  const response = await send(`${fill(path, params ?? {})}${search(query ?? {})}`, {
    method,
    headers,
    signal: options.signal ?? null,
    keepalive: options.keepalive ?? false,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw ApiProblem.of(response.status, await response.text());
  return response;
}

/** The URL of an operation that a link downloads. */
export function addressOf<Id extends OperationId>(id: Id, input: Input<Id>): string {
  const { params, query } = input as { readonly params?: Fields; readonly query?: Fields };
  return `${fill(operations[id][1], params ?? {})}${search(query ?? {})}`;
}

type Fields = Readonly<Record<string, unknown>>;

async function send(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, { ...init, credentials: 'same-origin' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw ApiProblem.unreachable(error);
  }
}

function fill(path: string, params: Fields): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
}

function search(query: Fields): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return pairs.length === 0
    ? ''
    : `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()}`;
}
