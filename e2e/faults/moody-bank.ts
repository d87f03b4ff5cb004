import type { IncomingMessage, ServerResponse } from 'node:http';

/** How a webhook answers. */
export type Mood = (request: IncomingMessage, response: ServerResponse) => void;

const executed = '{"code":1}';
const hangMs = 20_000;
const slowMs = 3_000;

/** Receivers as operators meet them; none says that an action was not executed. */
export const moods: readonly Mood[] = [
  (_, response) => response.writeHead(500).end('Internal Server Error'),
  (_, response) => response.writeHead(503, { 'retry-after': '1' }).end(),
  (_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>'),
  (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
  (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"code":'),
  (_, response) => response.writeHead(200).end(Buffer.from([0xff, 0xfe, 0x00])),
  (_, response) => void setTimeout(() => response.end(executed), hangMs),
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': executed.length });
    response.write(executed.slice(0, 4));
    setTimeout(() => response.end(executed.slice(4)), slowMs);
  },
  (request) => void request.socket.destroy(),
  (request) => void request.socket.resetAndDestroy(),
  (_, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write(executed);
    setTimeout(() => response.socket?.destroy(), 100);
  },
];
