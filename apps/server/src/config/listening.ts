import { once } from 'node:events';
import type { FastifyInstance } from 'fastify';
import { createServer } from 'node:net';
import type { Listener } from './configuration.ts';
import { OperatorError } from '../platform/observability/operator-error.ts';

/** The ports that this process listens on: no webhook is sent there. */
export class ListeningPorts {
  readonly bound: number[] = [];
}

/**
 * Makes sure that an address can be had, before anything is made: keys that a first start makes are shown only once all
 * of it stands.
 *
 * @throws OperatorError when it cannot
 */
export async function checkAddress(listener: Pick<Listener, 'host' | 'port'>, name: string): Promise<void> {
  const server = createServer();
  try {
    server.listen({ host: listener.host, port: listener.port });
    await once(server, 'listening');
  } catch (cause) {
    throw refusedAddress(listener, name, cause);
  }
  server.close();
  await once(server, 'close');
}

function refusedAddress({ host, port }: Pick<Listener, 'host' | 'port'>, name: string, cause: unknown): OperatorError {
  const code = (cause as NodeJS.ErrnoException).code;
  return new OperatorError(
    code === 'EADDRINUSE'
      ? `${name}: another program listens on ${host}:${port} already.`
      : `${name}: cannot listen on ${host}:${port} (${code ?? String(cause)}).`,
    `Choose another address: ${name}.host and ${name}.port in the file, or the environment.`,
    { cause },
  );
}

/**
 * Listens, and says where: the URL as it is bound, without a slash at its end.
 *
 * @throws OperatorError when the address cannot be had
 */
export async function listenOn(
  app: FastifyInstance,
  listener: Listener,
  { name, ports }: { readonly name: string; readonly ports: ListeningPorts },
): Promise<string> {
  const { host, port } = listener;
  try {
    await app.listen({ host, port });
  } catch (cause) {
    throw refusedAddress(listener, name, cause);
  }
  const address = app.server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  ports.bound.push(bound);
  const shown = host.includes(':') ? `[${host}]` : host;
  return `${listener.tls === undefined ? 'http' : 'https'}://${shown}:${bound}`;
}
