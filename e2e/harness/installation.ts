import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const businessHours = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '18:00' };

/** The options of one installation of the service; everything else keeps its default. */
export interface InstallationPlan {
  /** Its folder: configuration, secrets, embedded database. */
  readonly home: string;
  /** The folder of secrets and database, if it is another one. */
  readonly stateFolder?: string;
  /** `external`: `DATABASE_URL` in the service's environment. */
  readonly database?: 'embedded' | 'external';
  /** Where it listens; by default on loopback. */
  readonly address?: string;
  /** The network of the webhook's receiver; by default loopback. */
  readonly webhookNetwork?: string;
  readonly port: number;
  readonly managementPort: number;
  readonly licenseKey: string;
  readonly webhookUrl: string;
  /** Further settings of the webhook, or others than these, by name. */
  readonly webhook?: Readonly<Record<string, string>>;
  /** Files of the policy by name, or a folder to copy. */
  readonly policy: Readonly<Record<string, string>> | string;
  readonly environment?: 'production' | 'development';
  readonly sessionGraceSeconds?: number;
  /** An alert is due this many minutes after it was opened, in business hours; absent: never. */
  readonly dueMinutes?: number;
  readonly stopDelaySeconds?: number;
  readonly ingestThreads?: number;
  /** Production workspaces beside `bank`, with the same settings and policy. */
  readonly further?: readonly { readonly name: string; readonly licenseKey: string }[];
  /** A workspace `harbor` in a further database, `NORTH_DATABASE_URL` in the service's environment. */
  readonly north?: { readonly licenseKey: string };
  /** A topic that keeps the bytes of the log, and some of its brokers. */
  readonly logTopic?: { readonly brokers: readonly string[]; readonly topic: string };
  /** As in `ringfence.yaml`. */
  readonly streams?: readonly object[];
  /** A second workspace of the same bank, for development. */
  readonly development?: { readonly licenseKey: string; readonly policy: Readonly<Record<string, string>> };
}

/**
 * Writes `ringfence.yaml` and the policy under `home`.
 * @returns the path of the file
 */
export async function writeInstallation(plan: InstallationPlan): Promise<string> {
  await writePolicy(join(plan.home, 'policy'), plan.policy);
  if (plan.development !== undefined) await writePolicy(join(plan.home, 'policy-development'), plan.development.policy);
  const file = join(plan.home, 'ringfence.yaml');
  await writeFile(file, configText(plan));
  return file;
}

async function writePolicy(folder: string, policy: InstallationPlan['policy']): Promise<void> {
  if (typeof policy === 'string') {
    await cp(policy, folder, { recursive: true });
    return;
  }
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(policy)) await writeFile(join(folder, name), text);
}

function configText(plan: InstallationPlan): string {
  const address = plan.address ?? '127.0.0.1';
  return `listen: { host: ${address}, port: ${plan.port} }
management: { host: ${address}, port: ${plan.managementPort} }
home: ${JSON.stringify(plan.stateFolder ?? join(plan.home, 'state'))}
database: ${plan.database ?? 'embedded'}
stopDelaySeconds: ${plan.stopDelaySeconds ?? 0}
ingestThreads: ${plan.ingestThreads ?? 1}
${plan.north === undefined ? '' : 'databases: { north: { url: "${NORTH_DATABASE_URL}" } }'}
${plan.streams === undefined ? '' : `streams: ${JSON.stringify(plan.streams)}`}
allowPrivateWebhooks: [${plan.webhookNetwork ?? '127.0.0.0/8'}]
${plan.logTopic === undefined ? '' : `log: { kafka: ${JSON.stringify(plan.logTopic)} }\n`}workspaces:
${[{ name: 'bank', licenseKey: plan.licenseKey }, ...(plan.further ?? [])].map((workspace) => workspaceText(plan, workspace)).join('')}${plan.development === undefined ? '' : developmentText(plan.development)}${plan.north === undefined ? '' : northText(plan, plan.north)}`;
}

function workspaceText(
  plan: InstallationPlan,
  { name, licenseKey }: NonNullable<InstallationPlan['further']>[number],
): string {
  return `  - name: ${name}
    environment: ${plan.environment ?? 'production'}
    licenseKeys: [${JSON.stringify(licenseKey)}]
    webhook: ${JSON.stringify({ url: plan.webhookUrl, deliver: 'live', ...plan.webhook })}
    channels: [{ id: 1, name: Mobile app }, { id: 2, name: Web }]
    timezone: America/Mexico_City
    sessionGraceSeconds: ${plan.sessionGraceSeconds ?? 5}
    holds: { secondAbove: { MXN: 1000000 } }
    alerts: ${JSON.stringify(plan.dueMinutes === undefined ? {} : { dueMinutes: plan.dueMinutes, businessHours })}
    policy: ./policy
`;
}

function northText(plan: InstallationPlan, { licenseKey }: NonNullable<InstallationPlan['north']>): string {
  return `  - name: harbor
    environment: production
    database: north
    licenseKeys: [${JSON.stringify(licenseKey)}]
    webhook: ${JSON.stringify({ url: plan.webhookUrl, deliver: 'live', ...plan.webhook })}
    channels: [{ id: 1, name: Mobile app }]
    policy: ./policy
`;
}

function developmentText({ licenseKey }: NonNullable<InstallationPlan['development']>): string {
  return `  - name: bank
    environment: development
    licenseKeys: [${JSON.stringify(licenseKey)}]
    channels: [{ id: 1, name: Mobile app }]
    sessionGraceSeconds: 0
    policy: ./policy-development
`;
}
