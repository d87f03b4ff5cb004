import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';

/** One POST as received. */
export interface ReceivedAction {
  readonly webhookId: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  /** `performance.now()` of this process when the body was complete. */
  readonly atMs: number;
}

/** The bank's side: accepts every action, executes each `webhook-id` once, and records it. */
export interface WebhookReceiver {
  readonly url: string;
  /** Every POST, including repeats, in order of arrival. */
  readonly received: readonly ReceivedAction[];
  /** First POST of each `webhook-id`: those that a bank which ignores repeats has executed. */
  readonly executed: ReadonlyMap<string, ReceivedAction>;
  close(): Promise<void>;
}

/**
 * @param answer how it answers; by default every action is executed
 * @param address where it listens
 */
export async function startWebhookReceiver(
  onAction: (action: ReceivedAction) => void = () => {},
  answer: (request: IncomingMessage, response: ServerResponse) => void = execute,
  address = '127.0.0.1',
): Promise<WebhookReceiver> {
  const received: ReceivedAction[] = [];
  const executed = new Map<string, ReceivedAction>();
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      const webhookId = String(request.headers['webhook-id'] ?? '');
      const action = { webhookId, body, headers: request.headers, atMs: performance.now() };
      received.push(action);
      if (!executed.has(webhookId)) executed.set(webhookId, action);
      onAction(action);
      answer(request, response);
    });
  });
  const port = await listen(server, address);
  return {
    url: `http://${address}:${port}/smartid/webhook`,
    received,
    executed,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Says that the action was executed. */
export function execute(_request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json').end('{"code":1}');
}

function listen(server: Server, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
