import { ApiProblem } from './api-problem.ts';
import { type Operations, operations } from './operations.generated.ts';

export type OperationId = keyof Operations;
export type Answer<Id extends OperationId> = Operations[Id]['answer'];

/** What an operation takes. */
export type Input<Id extends OperationId> = Operations[Id]['input'];

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** The page asks by itself, and not because somebody did something: it keeps nobody logged in. */
  readonly background?: boolean;
}

/** Shown with every change, as the session told it: a page of another origin cannot know it. */
let csrfToken = '';

export function rememberCsrfToken(token: string): void {
  csrfToken = token;
}

/**
 * Asks the management API for one operation.
 *
 * @throws ApiProblem for whatever is not answered with 2xx, an unreachable service among it
 */
export async function call<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  options: CallOptions = {},
): Promise<Answer<Id>> {
  const text = await (await ask(id, input, options)).text();
  return (text === '' ? undefined : JSON.parse(text)) as Answer<Id>;
}

/** The same, before the answer was read. @throws ApiProblem as `call` */
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
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw ApiProblem.of(response.status, await response.text());
  return response;
}

/** The address of an operation that a link leads to: a file. */
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
