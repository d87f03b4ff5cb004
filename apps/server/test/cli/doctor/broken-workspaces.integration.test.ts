/** What doctor says about workspaces that do not work: the sentence, and what mends it. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkWorkspaces } from '../../../src/cli/doctor/check-workspaces.ts';
import type { OpenInstallation } from '../../../src/cli/open-installation.ts';
import { createWorkspace } from '../../../src/tenancy/workspaces/workspace-store.ts';
import { makeInstallation } from '../../support/installation.ts';
import { type Complaint, newPatient, type Patient } from './support/patient.ts';

const label = 'acme/production';
const policy = 'rules: []\n';

/** A workspace that has all that it needs, and sends nothing yet. */
async function withWorkspace(): Promise<Patient & { readonly id: string }> {
  const patient = await newPatient();
  await patient.run('workspace create acme -e production');
  patient.write('policy/policy.yaml', policy);
  await patient.run(`policy apply policy -w ${label}`);
  const { rows } = await patient.sql(`select id from workspace`);
  return { ...patient, id: (rows[0] as { id: string }).id };
}

const observes: Complaint = [
  `workspace ${label}`,
  'unwise',
  'it only observes: it decides, but sends nothing',
  `To send actions: ringfence workspace set ${label} webhook.url=… deliver=live`,
];

async function webhookThat(status: number, body: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end(body));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

function action(state: string, id: string): string {
  return `insert into action (id, workspace_id, epoch, "offset", reason, position, action, urgent, channel_id, payload,
      format, content_hash, state, decided_at, expires_at, lifetime, due_at)
    values ('act_1', '${id}', 1, 1, 101, 0, 3, false, 1, '\\x00', 'text', '\\x00', '${state}', now(), now(), '1 hour', now())`;
}

function destination(id: string): string {
  return `insert into notification_destination (id, workspace_id, name, kind, address, settings, created_at, created_by)
    values ('ntd_abcdefghijkl', '${id}', 'desk', 'slack', '\\x00', '{"events":{}}', now(), 'mara')`;
}

it('a whole workspace has nothing of these', async () => {
  expect(await (await withWorkspace()).complaints()).toEqual([observes]);
});

it('a live production workspace on the embedded database', async () => {
  const home = await makeInstallation();
  onTestFinished(() => home.close());
  await createWorkspace(home.deps, {
    name: 'acme',
    environment: 'production',
    settings: { deliver: 'live', webhook: { url: 'https://bank.example/hook' } },
  });
  const under = (kind: 'embedded' | 'external'): OpenInstallation =>
    ({ ...home, ...home.deps, database: { kind } }) as unknown as OpenInstallation;
  const warning = {
    what: 'binaries',
    state: 'unwise',
    detail:
      'the embedded database serves a live production workspace: its package brings old libraries that get no fixes, OpenSSL 1.1.1 among them',
    mend: 'Use your own PostgreSQL, which your distribution keeps up to date: ringfence backup, then restore with DATABASE_URL. See "The embedded database" in docs/guides/security.md.',
  };
  expect(await checkWorkspaces(under('embedded'), Date.now())).toContainEqual(warning);
  expect(await checkWorkspaces(under('external'), Date.now())).not.toContainEqual(warning);
});

describe('a workspace', () => {
  it.each<{
    readonly name: string;
    readonly broken: (of: { readonly id: string }) => string;
    readonly says: Complaint;
  }>([
    {
      name: 'without a license key',
      broken: () => `update license_key set revoked_at = now(), sealed = null, sending = false`,
      says: [
        `workspace ${label}`,
        'bad',
        'no live license key: every event is refused',
        `ringfence key create -w ${label}`,
      ],
    },
    {
      name: 'without a policy',
      broken: () => `update workspace set policy_version = null`,
      says: [`workspace ${label}`, 'unwise', 'no policy: no rule fires', `ringfence policy apply DIR -w ${label}`],
    },
    {
      name: 'that is paused because its policy is refused',
      broken: ({ id }) =>
        `insert into engine_pause (workspace_id, version, error) values ('${id}', 1, 'rules/1.yaml:3: unknown')`,
      says: [
        'engine',
        'bad',
        `${label} is paused, events wait in the log: rules/1.yaml:3: unknown`,
        `Fix the files, then: ringfence policy apply DIR -w ${label}; or go back: ringfence policy activate N -w ${label}`,
      ],
    },
    {
      name: 'with a record on which the engine fails',
      broken: ({ id }) =>
        `insert into quarantine (workspace_id, "offset", tries, error, quarantined_at) values ('${id}', 1, 3, 'e', now())`,
      says: [
        'engine',
        'bad',
        `${label}: 1 record quarantined after the engine failed on each three times`,
        'The errors are in its log. This is a bug in Ringfence: please report them.',
      ],
    },
    {
      name: 'with lost actions',
      broken: ({ id }) => action('dead', id),
      says: [
        'deliveries',
        'unwise',
        `${label}: 1 action never arrived`,
        `ringfence deliveries list -w ${label} --state dead; then: ringfence deliveries redeliver -w ${label} --state dead`,
      ],
    },
    {
      name: 'with actions beyond a rule’s maxActions',
      broken: ({ id }) => action('held', id),
      says: [
        'deliveries',
        'unwise',
        `${label}: 1 action capped by a rule’s maxActions`,
        `ringfence deliveries list -w ${label} --state capped; then release or drop them`,
      ],
    },
    {
      name: 'with a destination whose address does not open',
      broken: ({ id }) => destination(id),
      says: ['notifications', 'bad', `${label}, desk: its address cannot be decrypted`, 'Enter it again.'],
    },
    {
      name: 'whose webhook failed for days',
      broken: ({ id }) =>
        `insert into endpoint (workspace_id, state, failing_since, failures) values ('${id}', 'disabled', now(), 12)`,
      says: [
        'deliveries',
        'bad',
        `the webhook of ${label} failed for days and is disabled; actions wait, and expire at their usual time`,
        `ringfence webhook test -w ${label}; once it answers: ringfence webhook enable -w ${label}`,
      ],
    },
  ])('$name', async ({ broken, says }) => {
    const patient = await withWorkspace();
    await patient.sql(broken(patient));
    const found = await patient.complaints();
    expect(found.filter((one) => one[2] !== observes[2])).toEqual([says]);
  });

  it('whose deliveries are paused', async () => {
    const patient = await withWorkspace();
    await patient.run('deliveries pause');
    expect(await patient.complaints()).toContainEqual([
      'deliveries',
      'unwise',
      'all deliveries are paused',
      'ringfence deliveries resume',
    ]);
  });

  it.each([
    [503, ['status: HTTP 503', 'The receiver answered with an error; see its own log.']],
    [200, ['answer: HTTP 200', 'The answer must be JSON with code 1 (executed) or 0 (not executed), as in spec 2.5.']],
  ] as const)('whose webhook answers %d, and no JSON', async (status, says) => {
    const patient = await withWorkspace();
    patient.write('ringfence.yaml', 'allowPrivateWebhooks: [127.0.0.0/8]\n');
    const url = await webhookThat(status, 'not JSON');
    await patient.run(`workspace set ${label} webhook.url=${url} deliver=live --config ringfence.yaml`);
    const found = await patient.complaints('doctor --webhooks --config ringfence.yaml');
    expect(found).toEqual([[`webhook of ${label}`, 'bad', ...says]]);
  });
});
