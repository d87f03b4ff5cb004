import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createWebhookReceiver, nodeHandler, type ReceivedAction, type WebhookTrouble } from '@ringfence/client';
import type { Bank } from './bank.ts';

export const webhookPath = '/ringfence/webhook';

/** An action that reached the bank, and the bank's response. */
export interface Arrival {
  readonly action: ReceivedAction;
  /** The bank's name of the user; `undefined` if unknown. */
  readonly user: string | undefined;
  readonly executed: boolean;
  readonly message: string;
}

export interface WebhookServerOptions {
  readonly bank: Bank;
  readonly port: number;
  readonly licenseKey: string;
  readonly signingSecret: string;
  readonly onArrival: (arrival: Arrival) => void;
  readonly onTrouble: (trouble: WebhookTrouble) => void;
}

/** Received requests, counted at the socket, so that repeats filtered by the receiver are included. */
export interface WebhookServer {
  readonly requests: () => number;
  close(): Promise<void>;
}

/** The bank's webhook endpoint. `createWebhookReceiver` is all that a bank needs. */
export async function openWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const { bank } = options;
  const receive = nodeHandler(
    createWebhookReceiver({
      licenseKeys: options.licenseKey,
      signingSecrets: options.signingSecret,
      onTrouble: options.onTrouble,
      onAction: (action) => {
        const result = bank.execute(action);
        options.onArrival({ action, user: bank.userOf(action), message: '', ...result });
        return result;
      },
    }),
  );
  let requests = 0;
  const server = createServer((request, response) => {
    if (request.url !== webhookPath) {
      response.writeHead(404).end();
      return;
    }
    requests += 1;
    receive(request, response);
  });
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return { requests: () => requests, close: () => closeServer(server) };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
