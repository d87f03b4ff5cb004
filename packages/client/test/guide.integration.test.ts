/** The Java of docs/guides/integrate.md, as it stands there: it compiles without libraries, and does what the guide says. */
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { hashClient } from '../src/hash-client.ts';
import { action, licenseKey, otherSecret, secret, signedRequest } from './webhook/signed-request.ts';

const run = promisify(execFile);
const guide = readFileSync(resolve(import.meta.dirname, '../../../docs/guides/integrate.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'ringfence-guide-'));
let hasJava = true;

/** Calls each class of the guide from a command line. */
const caller = `
public final class Main {
    public static void main(String[] a) throws Exception {
        switch (a[0]) {
            case "report" -> {
                try (RingfenceClient client = new RingfenceClient(a[1], a[2])) { client.report("login", a[3]); }
            }
            case "check" -> System.out.println(new RingfenceWebhook(a[1], a[2])
                .isAuthentic(a[3], a[4], a[5], a[6], a[7].getBytes(java.nio.charset.StandardCharsets.UTF_8)));
            case "hash" -> System.out.println(ClientHash.of(a[1], java.util.Base64.getDecoder().decode(a[2])));
            default -> throw new IllegalArgumentException(a[0]);
        }
    }
}
`;

beforeAll(() => {
  try {
    execFileSync('javac', ['-version'], { stdio: 'ignore' });
  } catch {
    hasJava = false;
    return;
  }
  const sources = [...guide.matchAll(/^```java\n\/\/ (\w+\.java)\n([^]*?)^```$/gm)];
  const names = ['Main.java', ...sources.map(([, name]) => name!)];
  writeFileSync(join(folder, 'Main.java'), caller);
  for (const [, name, text] of sources) writeFileSync(join(folder, name!), text!);
  execFileSync('javac', ['-Xlint:all', '-Werror', '-encoding', 'UTF-8', ...names], { cwd: folder });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function java({ skip }: TestContext, ...args: string[]): Promise<string> {
  if (!hasJava) skip('this machine has no Java compiler');
  // Java reads its arguments in the encoding of the locale.
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  const { stdout } = await run('java', ['-cp', folder, 'Main', ...args], { env });
  return stdout.trim();
}

describe('the Java of the guide', () => {
  it('reports an event, again with the same key where the service fails', async (context) => {
    const seen: (readonly [string | undefined, string | undefined, string])[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { authorization, 'idempotency-key': key } = request.headers;
        seen.push([authorization, String(key), Buffer.concat(chunks).toString()]);
        response.writeHead(seen.length < 3 ? 503 : 200).end('{}');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const prefix = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v5/analytics/app/`;
    await java(context, 'report', prefix, licenseKey, '{"user":"ana"}').finally(() => {
      server.closeAllConnections();
      server.close();
    });
    expect(seen.map(([key, , body]) => [key, body])).toEqual(
      Array.from({ length: 3 }, () => [`Bearer ${licenseKey}`, '{"user":"ana"}']),
    );
    expect(new Set(seen.map(([, key]) => key)).size).toBe(1);
  });

  it.for([
    ['takes', 'true', {}] as const,
    ['refuses an old', 'false', { atMs: Date.now() - 310_000 }] as const,
    ['refuses a wrongly signed', 'false', { secret: otherSecret }] as const,
    ['refuses a wrongly keyed', 'false', { key: 'another key' }] as const,
  ])('%s webhook request', async ([, expected, signing], context) => {
    const { headers, body } = signedRequest(action, signing);
    const parts = ['authorization', 'webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
      String(headers[name]),
    );
    const said = await java(context, 'check', licenseKey, secret, ...parts, Buffer.from(body).toString());
    expect(said).toBe(expected);
  });

  it('hashes a client as the service does', async (context) => {
    const pepper = Buffer.alloc(32, 5).toString('base64');
    expect(await java(context, 'hash', 'Jose\u0301', pepper)).toBe(hashClient('Jos\u00e9', pepper));
  });
});
