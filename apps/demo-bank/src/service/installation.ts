import { chmod, cp, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The workspace of the demo's bank. */
export const workspaceName = 'demo-bank';

const starterPolicy = resolve(import.meta.dirname, '../../../server/policies/starter');

/**
 * Policy additions for the demo's web page, for held payments, and for step-ups. Many of the demo's clients share a
 * network, like customers of one telephone company.
 */
const demoPolicy = `use: [device-and-network]
params: { networkClients: 1000, addressClients: 1000 }
actions:
  10: { name: Confirm on this device, trusts: { device: [passkey] } }
rules:
  - reason: 951
    name: The first login with a device
    on: [login]
    when: channelId == 2 && has(device.isNew) && device.isNew
    then: { action: 3, message: "You logged in with a new device: {{device.browser}} on {{device.os}}." }
  - reason: 952
    name: A device that was here before
    on: [login]
    when: has(device.match) && device.match != "new"
    then: { action: 3, message: "You logged in with a device that we know." }
    mode: shadow
  - reason: 953
    name: A large payment from a device that is not trusted
    on: [operation]
    when: has(device.trusted) && !device.trusted && order.amount >= 5000 && client.stepUpsFailed == 0
    then: { action: 10, message: "Please confirm your payment of {{order.amount}} {{order.currency}}." }
  - reason: 954
    name: A payment after a failed step-up
    on: [operation]
    when: client.stepUpsFailed > 0 && order.amount > 0
    then: { action: 2, message: "Your session was closed because the last payment was not confirmed." }
  - reason: 955
    name: A large payment from a trusted device
    on: [operation]
    when: has(device.trusted) && device.trusted && order.amount >= 5000
    then: { action: 3, message: "You paid {{order.amount}} {{order.currency}} from your trusted device." }
  - reason: 961
    name: A large payment abroad
    on: [operation]
    when: transaction.category == "abroad" && order.amount >= 20000
    then: { action: 7, message: "Your payment of {{order.amount}} {{order.currency}} is on hold while we check it." }
  - reason: 962
    name: Gift cards for a large amount
    on: [operation]
    when: transaction.category == "giftCards" && order.amount >= 5000
    then:
      action: 7
      message: "Your payment of {{order.amount}} {{order.currency}} is on hold for a minute."
      hold: { within: 1m, otherwise: reject }
`;

export interface InstallationPlan {
  /** `undefined`: in a temporary folder. */
  readonly folder: string | undefined;
  readonly port: number;
  readonly managementPort: number;
  readonly webhookUrl: string;
  readonly licenseKey: string;
}

export interface Installation {
  /** The folder of this run: configuration, secrets, database, log. */
  readonly folder: string;
  readonly configFile: string;
  /** Whether the folder is removed at the end. */
  readonly isTemporary: boolean;
}

/**
 * Creates a new folder with a configuration file, as an operator would write it. New, because the stories are about
 * unknown clients: leftovers of an earlier run would change what rules see.
 *
 * @throws Error if the planned folder exists
 */
export async function writeInstallation(plan: InstallationPlan): Promise<Installation> {
  const isTemporary = plan.folder === undefined;
  const folder = isTemporary ? await mkdtemp(join(tmpdir(), 'ringfence-demo-')) : resolve(plan.folder);
  if (!isTemporary) await mkdir(folder);
  // If started by root, the database runs as another user, who needs access to the path. Nothing in the folder is
  // public.
  await chmod(folder, 0o711);
  await cp(starterPolicy, join(folder, 'policy'), { recursive: true });
  await writeFile(join(folder, 'policy', 'demo.yaml'), demoPolicy);
  const configFile = join(folder, 'ringfence.yaml');
  await writeFile(configFile, configText(plan), { mode: 0o600 });
  return { folder, configFile, isTemporary };
}

/** A JSON string is valid YAML: no address can break the file. */
function configText({ port, managementPort, webhookUrl, licenseKey }: InstallationPlan): string {
  return `listen: { host: 127.0.0.1, port: ${port} }
management: { host: 127.0.0.1, port: ${managementPort} }
home: ./home
database: embedded   # a live workspace needs this word for a new database
allowPrivateWebhooks: [127.0.0.0/8]   # the demo's bank is on this machine
workspaces:
  - name: ${workspaceName}
    environment: production
    licenseKeys: [${JSON.stringify(licenseKey)}]
    webhook: { url: ${JSON.stringify(webhookUrl)}, deliver: live, sendReference: true }
    holds: { secondAbove: { MXN: 100000 } }   # the demo has one analyst
    channels: [{ id: 1, name: Mobile app }, { id: 2, name: Web }]
    timezone: America/Mexico_City
    policy: ./policy
`;
}
