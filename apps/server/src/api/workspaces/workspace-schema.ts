import { Type } from 'typebox';
import { exactly } from '../../platform/shapes/shape.ts';
import { publicWorkspace } from '../../tenancy/workspaces/public-settings.ts';
import {
  channelShape,
  channelsShape,
  environmentShape,
  nameShape,
  settingsShape,
} from '../../tenancy/workspaces/settings-shape.ts';
import type { Channel, Workspace } from '../../tenancy/workspaces/workspace.ts';
import { checkedLater } from '../server/check-request.ts';
import { mergePatchOf } from '../openapi/merge-patch-schema.ts';
import { choice, count, documenting, instant, list, word } from '../server/members.ts';

const owner = (of: string): Type.TUnsafe<'config' | 'api'> =>
  choice(['config', 'api'], `Who may change ${of}: the configuration file, or this API and the command line.`, 'api');

const settingsSchema = documenting<Workspace['settings']>({
  ...settingsShape,
  title: 'Settings',
  examples: [
    {
      timezone: 'America/Mexico_City',
      cards: 'mask',
      sessionGraceSeconds: 5,
      blockHours: 24,
      keepEvents: '400d',
      keepActions: '400d',
      deliver: 'live',
      webhook: {
        url: 'https://bank.example/smartid/webhook',
        oaepMgf1Hash: 'sha256',
        dateStyle: 'zone',
        clientHash: 'hmac',
        retryNotExecuted: false,
      },
    },
  ],
  description:
    'What is set of a workspace. `webhook.clientKeyPem` is shown as "[set]", and a proxy without its password: neither is told again.',
});

const channelSchema = documenting<Channel>({
  ...channelShape,
  title: 'Channel',
  examples: [{ id: 1, name: 'Mobile app', idleMinutes: 30, absoluteHours: 12, sessions: 'required' }],
});

export const workspaceSchema = Type.Object(
  {
    id: word('Random; also in the ids of its actions.', 'k3v7q2ma'),
    name: word('The tenant.', 'acme'),
    environment: choice(['production', 'development'], 'Served under `/api/` or `/api-dev/`.'),
    owners: Type.Object({
      settings: owner('name, settings and channels'),
      keys: owner('license keys'),
      policy: owner('the policy'),
    }),
    policyVersion: Type.Optional(count('The version that was last activated. Absent: no rule fires.', 3)),
    createdAt: instant('When it was made.'),
    settings: settingsSchema,
    channels: list(channelSchema, 'In the order of their ids.'),
  },
  { title: 'Workspace', description: 'A tenant in one environment, without its secrets.' },
);

export type WorkspaceAnswer = Type.Static<typeof workspaceSchema>;

export function printWorkspace(workspace: Workspace): WorkspaceAnswer {
  return publicWorkspace(workspace) as WorkspaceAnswer;
}

export const newKeySchema = Type.Object(
  {
    id: word('Names the key; not a secret.', 'key_abc234def567'),
    text: word('The key itself. It is in this answer and nowhere else.', 'rf_test_…'),
    origin: choice(['generated', 'brought'], 'Made here, or brought along.'),
  },
  { title: 'NewKey' },
);

export const madeWorkspaceSchema = Type.Object(
  { ...workspaceSchema.properties, keys: list(newKeySchema, 'Its license keys, shown this once.') },
  { title: 'MadeWorkspace', description: 'A new workspace with its license key.' },
);

export const newWorkspaceBody = exactly({
  name: nameShape,
  environment: environmentShape,
  settings: Type.Optional(settingsShape),
  channels: Type.Optional(channelsShape),
});

export const workspaceChangeBody = exactly({
  name: Type.Optional(nameShape),
  settings: Type.Optional(
    Type.Unsafe<unknown>({
      ...mergePatchOf(settingsShape),
      [checkedLater]: true,
      description: 'A JSON merge patch (RFC 7396): what is left out stays, null takes the default again.',
    }),
  ),
  channels: Type.Optional(channelsShape),
});

const { id: channelId, ...channelMembers } = channelShape.properties;
export { channelId };
export const channelBody = exactly(channelMembers);
