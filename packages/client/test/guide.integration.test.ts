/**
 * The Java and C# code of the guides, unchanged: it compiles without libraries, and does what the guides describe. C#
 * is compiled by Mono, as C# 7, which every .NET since accepts.
 */
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { hashClient } from '../src/hash-client.ts';
import { action, licenseKey, otherSecret, secret, signedRequest } from './webhook/signed-request.ts';

const run = promisify(execFile);
const guide = ['send-events-java-csharp.md', 'verify-signatures.md', 'identify-client.md']
  .map((page) => readFileSync(resolve(import.meta.dirname, '../../../docs/guides', page), 'utf8'))
  .join('\n');

const formerKey = 'the-key-that-is-being-replaced';

interface Language {
  readonly name: string;
  /** The language tag of its code block. */
  readonly fence: string;
  /** A program that calls each class of the guide from the command line. */
  readonly caller: readonly [file: string, text: string];
  readonly compiler: readonly string[];
  readonly program: readonly string[];
}

const java: Language = {
  name: 'Java',
  fence: 'java',
  compiler: ['javac', '-Xlint:all', '-Werror', '-encoding', 'UTF-8'],
  program: ['java', '-cp', '.', 'Main'],
  caller: [
    'Main.java',
    `
public final class Main {
    public static void main(String[] a) throws Exception {
        switch (a[0]) {
            case "report" -> {
                try (RingfenceClient client = new RingfenceClient(a[1], a[2])) {
                    for (int i = 0; i < Integer.parseInt(a[4]); i++) client.report("login", a[3]);
                    Thread.sleep(Long.parseLong(a[5]));
                }
            }
            case "check" -> System.out.println(new RingfenceWebhook(java.util.List.of(a[1].split("[|]")), a[2])
                .isAuthentic(a[3], a[4], a[5], a[6], a[7].getBytes(java.nio.charset.StandardCharsets.UTF_8)));
            case "hash" -> System.out.println(ClientHash.of(a[1], java.util.Base64.getDecoder().decode(a[2])));
            default -> throw new IllegalArgumentException(a[0]);
        }
    }
}
`,
  ],
};

const csharp: Language = {
  name: 'C#',
  fence: 'csharp',
  compiler: ['mcs', '-langversion:7.2', '-warnaserror', '-out:guide.exe', '-r:System.Net.Http.dll'],
  program: ['mono', 'guide.exe'],
  caller: [
    'Program.cs',
    `
public static class Program
{
    public static void Main(string[] a)
    {
        switch (a[0])
        {
            case "report":
                using (var client = new RingfenceClient(new System.Uri(a[1]), a[2], System.Console.WriteLine))
                {
                    for (var i = 0; i < int.Parse(a[4]); i++) client.Report("login", a[3]);
                    System.Threading.Thread.Sleep(int.Parse(a[5]));
                }
                break;
            case "check":
                System.Console.WriteLine(new RingfenceWebhook(a[1].Split('|'), a[2])
                    .IsAuthentic(a[3], a[4], a[5], a[6], System.Text.Encoding.UTF8.GetBytes(a[7])) ? "true" : "false");
                break;
            case "hash":
                System.Console.WriteLine(ClientHash.Of(a[1], System.Convert.FromBase64String(a[2])));
                break;
            default:
                throw new System.ArgumentException(a[0]);
        }
    }
}
`,
  ],
};

describe.each([java, csharp])('the $name of the guide', ({ name, fence, caller, compiler, program }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ringfence-guide-'));
  let isThere = true;
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  beforeAll(() => {
    const [command, ...options] = compiler;
    const sources = [...guide.matchAll(/^```(\w+)\n\/\/ (\w+\.\w+)\n([^]*?)^```$/gm)].filter(([, of]) => of === fence);
    const files = [caller, ...sources.map(([, , file, text]) => [file!, text!] as const)];
    for (const [file, text] of files) writeFileSync(join(folder, file), text);
    try {
      execFileSync(command!, [...options, ...files.map(([file]) => file)], { cwd: folder, stdio: 'pipe' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      isThere = false;
    }
  });

  async function call({ skip }: TestContext, ...args: string[]): Promise<string> {
    if (!isThere) skip(`this machine has no ${name} compiler`);
    const [command, ...options] = program;
    // Both decode their arguments with the encoding of the locale.
    const env = { ...process.env, LC_ALL: 'C.UTF-8' };
    const { stdout, stderr } = await run(command!, [...options, ...args], { cwd: folder, env });
    return `${stdout}${stderr}`.trim();
  }

  interface Reported {
    readonly seen: readonly (readonly [key: string, body: string])[];
    /** The output of the program. */
    readonly said: string;
  }

  /** Reports events to a service with scripted responses; closes the client `openMs` after the last one. */
  async function reportAll(
    context: TestContext,
    answer: (request: number, response: ServerResponse) => void,
    { events = 1, openMs = 0 } = {},
  ): Promise<Reported> {
    const seen: (readonly [string, string])[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { authorization, 'idempotency-key': key, 'content-type': type } = request.headers;
        const isWhole = authorization === `Bearer ${licenseKey}` && type?.startsWith('application/json') === true;
        seen.push([String(key), isWhole ? `${request.url} ${Buffer.concat(chunks).toString()}` : 'wrong headers']);
        answer(seen.length, response);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const prefix = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v5/analytics/app/`;
    try {
      return {
        seen,
        said: await call(context, 'report', prefix, licenseKey, '{"user":"ana"}', `${events}`, `${openMs}`),
      };
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  async function report(context: TestContext, status: (request: number) => number, retryAfter?: string) {
    const { seen } = await reportAll(context, (request, response) => {
      if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
      response.writeHead(status(request)).end('{"title":"a test"}');
    });
    return seen;
  }

  it('reports an event, and retries with the same key when the service fails', async (context) => {
    const seen = await report(context, (request) => (request < 3 ? 503 : 200));
    expect(seen.map(([, body]) => body)).toEqual(Array(3).fill('/api/v5/analytics/app/login {"user":"ana"}'));
    expect(new Set(seen.map(([key]) => key)).size).toBe(1);
  });

  it.for(['Sat, 21 Nov 2026 10:00:00 GMT', 'soon', '-1', '99999999999999999999'])(
    'retries soon when a proxy sends the Retry-After %j',
    async (retryAfter, context) => {
      expect(await report(context, (request) => (request < 2 ? 503 : 200), retryAfter)).toHaveLength(2);
    },
  );

  it('waits as long as the service requests', async (context) => {
    const atMs: number[] = [];
    await report(context, (request) => (atMs.push(performance.now()), request < 2 ? 503 : 200), '1');
    // A timer may fire a little early.
    expect(atMs[1]! - atMs[0]!).toBeGreaterThan(980);
  });

  it('does not retry refused events', async (context) => {
    expect(await report(context, () => 422)).toHaveLength(1);
  });

  it('retries when the response is the page of a proxy', async (context) => {
    const page = '<html>Back soon</html>';
    const { seen } = await reportAll(context, (request, response) => response.end(request < 3 ? page : '{}'));
    expect(seen).toHaveLength(3);
  });

  it('retries after an incomplete response', async (context) => {
    const inPart = (response: ServerResponse) => response.writeHead(200, { 'content-length': 99 }).write('{');
    const answer = (request: number, response: ServerResponse) =>
      request === 1 ? inPart(response) : response.end('{}');
    const { seen, said } = await reportAll(context, answer, { openMs: 5_500 });
    expect([seen.length, said]).toEqual([2, '']);
  });

  it('reports at its end how many events were dropped', async (context) => {
    const { said } = await reportAll(context, () => undefined, { events: 50 });
    expect(said).toContain('ringfence: closed, 50 events were dropped');
  });

  it.for([
    ['takes', 'true', {}] as const,
    ['takes, with the key before,', 'true', { key: formerKey }] as const,
    ['refuses an old', 'false', { atMs: Date.now() - 310_000 }] as const,
    ['refuses a wrongly signed', 'false', { secret: otherSecret }] as const,
    ['refuses a wrongly keyed', 'false', { key: 'another key' }] as const,
  ])('%s webhook request', async ([, expected, signing], context) => {
    const { headers, body } = signedRequest(action, signing);
    const parts = ['authorization', 'webhook-id', 'webhook-timestamp', 'webhook-signature'].map((header) =>
      String(headers[header]),
    );
    const said = await call(
      context,
      'check',
      `${formerKey}|${licenseKey}`,
      secret,
      ...parts,
      Buffer.from(body).toString(),
    );
    expect(said).toBe(expected);
  });

  it('hashes a client like the service', async (context) => {
    const pepper = Buffer.alloc(32, 5).toString('base64');
    expect(await call(context, 'hash', 'Jose\u0301', pepper)).toBe(hashClient('Jos\u00e9', pepper));
  });
});
