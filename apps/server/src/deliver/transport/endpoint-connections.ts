import { isDeepStrictEqual } from 'node:util';
import { Connection } from './connection.ts';
import type { ConnectionRules } from './guarded-connector.ts';
import type { Endpoint } from './transport.ts';

/**
 * The connections of one endpoint: one per concurrent request, whose number the caller bounds. The most recently used
 * one is reused first, so that surplus connections stay idle and are closed.
 */
export class EndpointConnections {
  readonly #endpoint: Endpoint;
  readonly #rules: ConnectionRules;
  readonly #idle: Connection[] = [];
  #closed = false;

  constructor(endpoint: Endpoint, rules: ConnectionRules) {
    this.#endpoint = endpoint;
    this.#rules = rules;
  }

  /** Whether these connections match the endpoint: a changed address or certificate needs new ones. */
  serves(endpoint: Endpoint): boolean {
    return isDeepStrictEqual(endpoint, this.#endpoint);
  }

  take(): Connection {
    return this.#idle.pop() ?? new Connection(this.#endpoint, this.#rules);
  }

  giveBack(connection: Connection): void {
    if (this.#closed) void connection.close();
    else this.#idle.push(connection);
  }

  /** Closes idle connections now, and the others when they are returned. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#idle.splice(0).map((connection) => connection.close()));
  }
}
