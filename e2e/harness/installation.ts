import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The options of one installation of the service; everything else keeps its default. */
export interface InstallationPlan {
  /** Its folder: configuration, secrets, embedded database. */
  readonly home: string;
  /** The folder of secrets and database, if it is another one. */
  readonly stateFolder?: string;
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
  readonly stopDelaySeconds?: number;
  readonly ingestThreads?: number;
}

/**
 * Writes `ringfence.yaml` and the policy under `home`.
 * @returns the path of the file
 */
export async function writeInstallation(plan: InstallationPlan): Promise<string> {
  const policyFolder = join(plan.home, 'policy');
  if (typeof plan.policy === 'string') await cp(plan.policy, policyFolder, { recursive: true });
  else {
    await mkdir(policyFolder, { recursive: true });
    for (const [name, text] of Object.entries(plan.policy)) await writeFile(join(policyFolder, name), text);
  }
  const file = join(plan.home, 'ringfence.yaml');
  await writeFile(file, configText(plan));
  return file;
}

function configText(plan: InstallationPlan): string {
  return `listen: { host: 127.0.0.1, port: ${plan.port} }
management: { host: 127.0.0.1, port: ${plan.managementPort} }
home: ${JSON.stringify(plan.stateFolder ?? join(plan.home, 'state'))}
stopDelaySeconds: ${plan.stopDelaySeconds ?? 0}
ingestThreads: ${plan.ingestThreads ?? 1}
allowPrivateWebhooks: [127.0.0.0/8]
workspaces:
  - name: bank
    environment: ${plan.environment ?? 'production'}
    licenseKeys: [${JSON.stringify(plan.licenseKey)}]
    webhook: ${JSON.stringify({ url: plan.webhookUrl, deliver: 'live', ...plan.webhook })}
    channels: [{ id: 1, name: Mobile app }, { id: 2, name: Web }]
    timezone: America/Mexico_City
    sessionGraceSeconds: ${plan.sessionGraceSeconds ?? 5}
    holds: { secondAbove: { MXN: 1000000 } }
    policy: ./policy
`;
}
