import { parseCidr } from '@ringfence/delivery';
import { onTestFinished } from 'vitest';
import type { ConnectionRules } from '../../../src/deliver/transport/guarded-connector.ts';
import type { Sent } from '../../../src/deliver/transport/transport.ts';
import { WebhookTransport } from '../../../src/deliver/transport/webhook-transport.ts';
import type { WebhookRequest } from '../../../src/deliver/webhook-request.ts';
import type { Environment, WebhookSettings } from '../../../src/tenancy/workspaces/workspace.ts';
import { webhookSettings } from './workspace-fixture.ts';

export const loopback = [parseCidr('127.0.0.0/8') ?? []].flat();

export const request: WebhookRequest = {
  headers: {
    authorization: 'Bearer the-license-key-0123456789012345',
    'content-type': 'application/json',
    'webhook-id': 'a',
  },
  body: '{"action":2,"client":"canary-client"}',
};

export interface SendOptions {
  readonly settings?: Partial<WebhookSettings>;
  readonly environment?: Environment;
  readonly stop?: AbortSignal;
}

/** A transport that may connect to the loopback, unless the test sets other rules. */
export function testTransport(rules: Partial<ConnectionRules> = {}): {
  readonly send: (url: string, options?: SendOptions) => Promise<Sent>;
} {
  const transport = new WebhookTransport({
    resolve: () => Promise.reject(Object.assign(new Error('no such host'), { code: 'ENOTFOUND' })),
    allow: loopback,
    isOwn: () => false,
    ...rules,
  });
  onTestFinished(() => transport.close());
  return {
    send: (url, { settings, environment = 'development', stop = new AbortController().signal } = {}) =>
      transport.send(
        { workspaceId: 'aaaaaaaa', name: 'acme', environment, settings: { ...webhookSettings, ...settings, url } },
        request,
        stop,
      ),
  };
}
