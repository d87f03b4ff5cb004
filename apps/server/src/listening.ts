import type { FastifyInstance } from 'fastify';
import type { ServerOptions } from 'node:https';
import type { Listener } from './config/configuration.ts';
import { OperatorError } from './operations/operator-error.ts';

/** The ports that this process listens on: no webhook is sent there. */
export class ListeningPorts {
  readonly bound: number[] = [];
}

export function tlsOf({ tls }: Listener): ServerOptions | undefined {
  return tls === undefined ? undefined : { cert: tls.certPem, key: tls.keyPem, minVersion: 'TLSv1.2' };
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
    const code = (cause as NodeJS.ErrnoException).code;
    throw new OperatorError(
      code === 'EADDRINUSE'
        ? `${name}: another program listens on ${host}:${port} already.`
        : `${name}: cannot listen on ${host}:${port} (${code ?? String(cause)}).`,
      `Choose another address: ${name}.host and ${name}.port in the file, or the environment.`,
      { cause },
    );
  }
  const address = app.server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  ports.bound.push(bound);
  const shown = host.includes(':') ? `[${host}]` : host;
  return `${listener.tls === undefined ? 'http' : 'https'}://${shown}:${bound}`;
}
