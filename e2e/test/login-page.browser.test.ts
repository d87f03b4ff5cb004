/**
 * A login at the web site of a bank: the page collects device data in its form, the server of the bank forwards it, the
 * service decrypts it, and a rule reads the browser. Without the script, `data` is empty, which a rule detects.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium, openChromium, slowTimers } from '../../tools/testing/chromium.ts';
import { browserPatienceMs } from '../harness/browser-patience.ts';
import { eventually } from '../harness/eventually.ts';
import { type Answer, openScene, type Scene } from '../harness/scene.ts';
import { temporaryHome, type TemporaryHome } from '../harness/temporary-home.ts';

const run = promisify(execFile);
const policy = {
  'policy.yaml': `rules:
  - reason: 601
    name: A login on the web without device data
    on: [login]
    when: channelId == 2 && data == ""
    then: { action: 2, message: "Log in again" }
    mode: live
  - reason: 602
    name: A whole token of a browser that a program drives
    on: [login]
    when: device.state == "present" && device.proof == "holds" && device.idFresh && device.automation
    then: { action: 3, message: "Seen" }
    mode: shadow
`,
};
const form =
  '<form method="post" action="/login"><input name="user"><input type="hidden" name="data"><button>Log in</button></form>';
const pages: Readonly<Record<string, string>> = {
  '/': `<!doctype html><title>Bank</title><script src="/ringfence-device.js"></script>${form}<script src="/login.js"></script>`,
  '/broken': `<!doctype html><title>Bank</title><script src="/nowhere.js"></script>${form}<script src="/login.js"></script>`,
};

/** @param keys JSON of the public key set of the service */
function loginScript(keys: string): string {
  return `if (typeof ringfence === 'object') {
  ringfence.fillField(document.querySelector('[name=data]'), { keys: ${keys}, channelId: 2, profile: 'full' });
}`;
}

/** The forwarded request, and the response of the service. */
interface PassedOn {
  readonly user: string;
  readonly data: string;
  readonly answer: Answer;
}

describe('a login page with the browser SDK', () => {
  let browser: Browser | undefined;
  let scene: Scene;
  let bank: Server;
  let home: TemporaryHome;
  let keys: string;
  const passedOn: PassedOn[] = [];

  beforeAll(async () => {
    browser = await openChromium();
    if (browser === undefined) return;
    home = await temporaryHome('login-page');
    const script = await unpackedScript(home.path);
    scene = await openScene({ policy });
    keys = await (await scene.management.request('GET', 'device-keys')).text();
    bank = createServer((request, response) => {
      void answer(request, script).then(({ type, body }) => {
        response.setHeader('content-security-policy', "default-src 'none'; script-src 'self'; form-action 'self'");
        response.setHeader('content-type', type);
        response.end(body);
      });
    });
    bank.listen(0, '127.0.0.1');
    await once(bank, 'listening');
  });
  beforeEach(({ skip }) => {
    if (browser === undefined) skip(noChromium);
  });
  afterAll(async () => {
    await browser?.close();
    bank?.close();
    await scene?.close();
    await home?.remove();
  });

  async function answer(
    request: IncomingMessage,
    script: string,
  ): Promise<{ readonly type: string; readonly body: string }> {
    const path = request.url ?? '/';
    if (request.method === 'POST') {
      const { user = '', data = '' } = Object.fromEntries(new URLSearchParams(await bodyOf(request)));
      const login = { channelId: 2, user, session: `${user}-1`, publicIp: '203.0.113.9', data };
      passedOn.push({ user, data, answer: await scene.tell('login', login) });
    }
    const scripts: Readonly<Record<string, string>> = {
      '/ringfence-device.js': script,
      '/login.js': loginScript(keys),
    };
    const found = scripts[path];
    if (found !== undefined) return { type: 'text/javascript', body: found };
    return { type: 'text/html', body: pages[path] ?? '<!doctype html><title>Welcome</title>' };
  }

  async function logIn(path: string, user: string): Promise<PassedOn> {
    const page = await browser!.newPage();
    page.setDefaultTimeout(browserPatienceMs);
    await slowTimers(page);
    await page.goto(`http://127.0.0.1:${(bank.address() as AddressInfo).port}${path}`);
    const token = (): Promise<string> => page.locator('[name=data]').inputValue();
    if (path === '/') await eventually('the page has its token', 40_000, async () => (await token()) || undefined);
    await page.locator('[name=user]').fill(user);
    await page.locator('button').click();
    await page.waitForURL('**/login');
    await page.close();
    return passedOn.findLast((login) => login.user === user)!;
  }

  it('sends a token that the service decrypts, and no rule about a missing one fires', async () => {
    const login = await logIn('/', 'ana');
    expect(login.data).toMatch(/^[\w-]+\.\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/);
    expect(login.answer.status).toBe(200);
    expect(await decided(login)).toMatchObject({ fired: [], shadow: [602] });
  });

  it('sends "" if the script is missing, and the rule fires', async () => {
    const login = await logIn('/broken', 'bob');
    expect(login).toMatchObject({ data: '', answer: { status: 200 } });
    expect(await decided(login)).toMatchObject({ fired: [601] });
    const action = await eventually('the webhook arrives', 10_000, () => scene.receiver.received[0]);
    expect(JSON.parse(action.body)).toMatchObject({ action: 2, channel: 2, reason: 601, session: 'bob-1' });
    expect(scene.receiver.received).toHaveLength(1);
  });

  function decided({ answer }: PassedOn): Promise<unknown> {
    return eventually('the login is decided', 10_000, async () => {
      const event = await scene.management.event(answer.id ?? '');
      return event?.status === 'decided' ? event : undefined;
    });
  }
});

/** The script that a bank serves, from the package that it installs. */
async function unpackedScript(folder: string): Promise<string> {
  const pack = resolve(import.meta.dirname, '../../packages/device/publish/pack.ts');
  const { stdout } = await run(process.execPath, [pack, folder]);
  const { stdout: script } = await run('tar', [
    '-xzOf',
    join(folder, stdout.trim().split('/').at(-1)!),
    'package/ringfence-device.js',
  ]);
  return script;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
