/** A store that speaks as much of S3 as files need, and checks each signature by itself: Signature Version 4, headers. */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface S3Server {
  readonly endpoint: string;
  /** Objects by bucket and key. */
  readonly objects: ReadonlyMap<string, Buffer>;
  /** Requests that were refused, and why. */
  readonly refused: readonly string[];
  /** The next requests are answered 503. */
  fail(times: number): void;
  close(): Promise<void>;
}

interface Account {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

export async function startS3(account: Account): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const refused: string[] = [];
  let failing = 0;
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const wrong = failing-- > 0 ? 'slow down' : refusalOf(request, body, account);
      if (wrong === undefined) objects.set(decodeURIComponent(request.url!.slice(1)), body);
      else refused.push(wrong);
      response.writeHead(wrong === undefined ? 200 : wrong === 'slow down' ? 503 : 403);
      response.end(wrong === undefined ? '' : `<Error><Message>${wrong}</Message></Error>`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    refused,
    fail: (times) => void (failing = times),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const hash = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Source: "Create a signed AWS API request", the steps in their order. */
function refusalOf(request: IncomingMessage, body: Buffer, account: Account): string | undefined {
  const found =
    /^AWS4-HMAC-SHA256 Credential=(?<id>[^/]+)\/(?<date>\d{8})\/(?<region>[^/]+)\/s3\/aws4_request, SignedHeaders=(?<names>[^,]+), Signature=(?<signature>[0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    )?.groups;
  if (found === undefined) return 'no signature';
  const { id, date, region, names, signature } = found as Record<string, string>;
  if (id !== account.accessKeyId || region !== account.region) return 'unknown account';
  const headers = names!.split(';');
  for (const needed of ['host', 'x-amz-content-sha256', 'x-amz-date']) {
    if (!headers.includes(needed)) return `${needed} is not signed`;
  }
  const stated = String(request.headers['x-amz-content-sha256']);
  if (stated !== hash(body)) return 'the content is not what was signed';
  if (Number(request.headers['content-length']) !== body.length) return 'no length';
  const canonical = [
    request.method,
    request.url!.split('?')[0],
    '',
    ...headers.map((name) => `${name}:${String(request.headers[name]).trim()}`),
    '',
    names,
    stated,
  ].join('\n');
  const at = String(request.headers['x-amz-date']);
  const text = ['AWS4-HMAC-SHA256', at, `${date}/${region}/s3/aws4_request`, hash(canonical)].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${account.secretAccessKey}`, date!), region), 's3'), 'aws4_request');
  return hmac(key, text).toString('hex') === signature ? undefined : 'the signature is wrong';
}
