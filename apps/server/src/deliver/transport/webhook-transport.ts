import { bodyBytesMax, deadlineMs } from '../bounds.ts';
import type { WebhookRequest } from '../webhook-request.ts';
import type { Connection } from './connection.ts';
import { EndpointConnections } from './endpoint-connections.ts';
import type { ConnectionRules } from './guarded-connector.ts';
import { readBody } from './read-body.ts';
import { transportFailure } from './transport-failure.ts';
import type { Endpoint, Sent, Transport } from './transport.ts';

/** `Transport` over undici, with one keep-alive connection per concurrent request. */
export class WebhookTransport implements Transport {
  readonly #rules: ConnectionRules;
  readonly #endpoints = new Map<string, EndpointConnections>();

  constructor(rules: ConnectionRules) {
    this.#rules = rules;
  }

  async send(endpoint: Endpoint, request: WebhookRequest, stop: AbortSignal): Promise<Sent> {
    const connections = this.#connectionsOf(endpoint);
    const connection = connections.take();
    // For everything, including the body: a receiver that sends slowly passes every timeout between two bytes.
    const deadline = AbortSignal.timeout(deadlineMs);
    try {
      return await exchange(connection, { endpoint, request, signal: AbortSignal.any([deadline, stop]) }, stop);
    } finally {
      connections.giveBack(connection);
    }
  }

  #connectionsOf(endpoint: Endpoint): EndpointConnections {
    const of = endpoint.destination ?? endpoint.workspaceId;
    const known = this.#endpoints.get(of);
    if (known?.serves(endpoint) === true) return known;
    void known?.close();
    const made = new EndpointConnections(endpoint, this.#rules);
    this.#endpoints.set(of, made);
    return made;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#endpoints.values()].map((connections) => connections.close()));
    this.#endpoints.clear();
  }
}

interface Exchange {
  readonly endpoint: Endpoint;
  readonly request: WebhookRequest;
  readonly signal: AbortSignal;
}

async function exchange(
  connection: Connection,
  { endpoint, request, signal }: Exchange,
  stop: AbortSignal,
): Promise<Sent> {
  const url = new URL(endpoint.settings.url);
  const begunAtMs = performance.now();
  const since = (): number => performance.now() - begunAtMs;
  try {
    // `request`, unlike `fetch`, follows no redirects: nothing is sent to the location that an answer names.
    const response = await connection.request({
      method: 'POST',
      path: url.pathname + url.search,
      headers: request.headers,
      body: request.body,
      signal,
    });
    const firstByteMs = since();
    const { bytes, truncated } = await readBody(response.body, bodyBytesMax);
    return {
      kind: 'answer',
      status: response.statusCode,
      headers: joined(response.headers),
      body: bytes,
      truncated,
      firstByteMs,
      connection: connection.facts(),
      durationMs: since(),
    };
  } catch (error) {
    const { reason, detail } = stop.aborted
      ? ({ reason: 'interrupted', detail: 'this process is stopping' } as const)
      : transportFailure(error);
    return { kind: 'failure', reason, detail, connection: connection.facts(), durationMs: since() };
  }
}

function joined(headers: Readonly<Record<string, string | string[] | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
}
