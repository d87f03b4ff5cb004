import { randomBytes } from 'node:crypto';
import type { WebhookSettings, Workspace, WorkspaceSettings } from '../../../src/tenancy/workspaces/workspace.ts';

export const webhookSettings: WebhookSettings = {
  url: 'https://bank.example/smartid/webhook',
  oaepMgf1Hash: 'sha256',
  dateStyle: 'zone',
  clientHash: 'hmac',
  retryNotExecuted: false,
  sendReference: false,
};

interface Change {
  readonly id?: string;
  readonly environment?: Workspace['environment'];
  readonly settings?: Partial<WorkspaceSettings>;
  readonly webhook?: Partial<WebhookSettings>;
}

/** A live workspace with a webhook. */
export function testWorkspace({
  id = 'aaaaaaaa',
  environment = 'development',
  settings,
  webhook,
}: Change = {}): Workspace {
  return {
    id,
    name: `workspace ${id}`,
    environment,
    owners: { settings: 'api', keys: 'api', policy: 'api' },
    settings: {
      timezone: 'America/Mexico_City',
      cards: 'mask',
      sessionGraceSeconds: 5,
      blockHours: 24,
      keepEvents: '400d',
      keepActions: '400d',
      deliver: 'live',
      webhook: { ...webhookSettings, ...webhook },
      ...settings,
    },
    channels: new Map(),
    secrets: {
      data: randomBytes(32),
      index: randomBytes(32),
      pepper: randomBytes(32),
      webhook: randomBytes(32),
      deviceKeys: [],
    },
    policyVersion: undefined,
    createdAtMs: 0,
  };
}
