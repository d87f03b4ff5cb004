import { generateKeyPairSync, privateDecrypt } from 'node:crypto';
import { hashClient, verify } from '@ringfence/delivery';
import { describe, expect, it } from 'vitest';
import { webhookRequest } from '../../src/deliver/webhook-request.ts';
import { startMs } from './support/test-actions.ts';
import { testWorkspace } from './support/workspace-fixture.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' });
const sendingKey = 'rf_dev_0123456789abcdef0123456789abcdef';

const content = {
  id: 'act_aaaaaaaa_1_41_101_0',
  event: 'evt_1_41',
  action: 2,
  channelId: 9_000_000_001,
  reason: 101,
  client: 'ana.pérez',
  session: 's-1',
  message: 'Your session was closed: <b>"transfer"</b> of 10.10 € \u2028',
  decidedAtMs: startMs + 123,
};

function requestOf(
  webhook: NonNullable<Parameters<typeof testWorkspace>[0]>['webhook'] = {},
  nowMs = startMs + 60_999,
): {
  request: ReturnType<typeof webhookRequest>;
  body: Record<string, unknown>;
  workspace: ReturnType<typeof testWorkspace>;
} {
  const workspace = testWorkspace({ webhook });
  const settings = workspace.settings.webhook;
  if (settings === undefined) throw new Error('the fixture has a webhook');
  const request = webhookRequest(content, { workspace, settings, sendingKey }, nowMs);
  return { request, body: JSON.parse(request.body) as Record<string, unknown>, workspace };
}

describe('the body of a webhook', () => {
  it('has the members of the interface and no others', () => {
    const { body, workspace } = requestOf();
    expect(body).toEqual({
      action: 2,
      channel: 9_000_000_001,
      date: '2026-11-20T20:00:00.123-06:00',
      message: content.message,
      reason: 101,
      session: 's-1',
      client: hashClient('ana.pérez', workspace.secrets.pepper),
    });
  });

  it('never names the client', () => {
    expect(requestOf({ publicKeyPem }).request.body).not.toContain('ana.');
  });

  it('has the client in plain SHA-256, or the date without zone, when the workspace is set so', () => {
    const { body } = requestOf({ clientHash: 'sha256', dateStyle: 'local' });
    expect(body).toMatchObject({ client: hashClient('ana.pérez', undefined), date: '2026-11-20T20:00:00.123' });
  });

  it('has the client encrypted under the public key when there is one', () => {
    const { body } = requestOf({ publicKeyPem });
    const sealed = Buffer.from(String(body['clientRSA']), 'base64');
    expect(privateDecrypt({ key: privateKey, oaepHash: 'sha256' }, sealed).toString()).toBe('ana.pérez');
    expect(requestOf({ publicKeyPem, oaepMgf1Hash: 'sha1' }).body['clientRSA']).toHaveLength(344);
  });
});

describe('the headers of a webhook', () => {
  it('name the event, signed together with id and time, and the reference only where the workspace wants it', () => {
    const { request, workspace } = requestOf();
    const signed = {
      id: request.headers['webhook-id'],
      timestamp: request.headers['webhook-timestamp'],
      signature: request.headers['ringfence-signature'],
    };
    expect(request.headers['ringfence-event']).toBe('evt_1_41');
    expect(request.headers).not.toHaveProperty('ringfence-reference');
    const secrets = [workspace.secrets.webhook];
    expect(verify({ ...signed, body: 'evt_1_41..' }, secrets, startMs + 60_999)).toBe('valid');

    const withReference = { ...content, reference: 'Pago ñ.1/é' };
    const settings = { ...workspace.settings.webhook!, sendReference: true };
    const { headers } = webhookRequest(withReference, { workspace, settings, sendingKey }, startMs + 60_999);
    expect(headers['ringfence-reference']).toBe('Pago%20%C3%B1%2E1%2F%C3%A9');
    expect(decodeURIComponent(headers['ringfence-reference']!)).toBe(withReference.reference);
    const body = `evt_1_41..${headers['ringfence-reference']}`;
    const signature = headers['ringfence-signature'];
    expect(verify({ ...signed, signature, body }, secrets, startMs + 60_999)).toBe('valid');
  });

  it('of a test name no event, and are signed as well', () => {
    const { workspace } = requestOf();
    const settings = workspace.settings.webhook!;
    const test = { ...content, event: undefined };
    const { headers } = webhookRequest(test, { workspace, settings, sendingKey }, startMs + 60_999);
    expect(headers).not.toHaveProperty('ringfence-event');
    const signed = {
      id: content.id,
      timestamp: headers['webhook-timestamp'],
      signature: headers['ringfence-signature'],
    };
    expect(verify({ ...signed, body: '..' }, [workspace.secrets.webhook], startMs + 60_999)).toBe('valid');
  });

  it('carry the key, and a signature over exactly these bytes', () => {
    const { request, workspace } = requestOf();
    expect(request.headers).toMatchObject({
      authorization: `Bearer ${sendingKey}`,
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'webhook-id': content.id,
      'webhook-timestamp': String(startMs / 1_000 + 60),
    });
    const signed = {
      id: request.headers['webhook-id'],
      timestamp: request.headers['webhook-timestamp'],
      signature: request.headers['webhook-signature'],
    };
    const secrets = [workspace.secrets.webhook];
    expect(verify({ ...signed, body: request.body }, secrets, startMs)).toBe('valid');
    expect(verify({ ...signed, body: `${request.body} ` }, secrets, startMs)).toBe('mismatch');
  });

  it('carry two signatures while the secret is being replaced, and one afterwards', () => {
    const workspace = testWorkspace();
    const before = { secret: Buffer.alloc(32, 7), untilMs: startMs };
    const rotating = { ...workspace, secrets: { ...workspace.secrets, webhookBefore: before } };
    const settings = rotating.settings.webhook!;
    const signedAt = (nowMs: number): string =>
      webhookRequest(content, { workspace: rotating, settings, sendingKey }, nowMs).headers['webhook-signature']!;
    expect(signedAt(startMs - 1).split(' ')).toHaveLength(2);
    expect(signedAt(startMs).split(' ')).toHaveLength(1);
  });
});
