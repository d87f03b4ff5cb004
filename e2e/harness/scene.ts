import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { type InstallationPlan, writeInstallation } from './installation.ts';
import { Management } from './management.ts';
import { type Service, type ServiceOptions, startService } from './service.ts';
import { temporaryHome } from './temporary-home.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

export const licenseKey = `whole-system-license-key-${'7'.repeat(20)}`;

/** The service's response to one event. */
export interface Answer {
  readonly status: number;
  /** The event's id in a 200. */
  readonly id: string | undefined;
}

/** One installation with its bank: a running service, a webhook receiver, and the functions to use both. */
export interface Scene {
  /** Folder of the installation; the service's home is `state` in it. */
  readonly home: string;
  readonly options: ServiceOptions;
  readonly receiver: WebhookReceiver;
  readonly management: Management;
  /** The running service. */
  readonly service: Service;
  tell(kind: 'login' | 'logout' | 'operation', body: object): Promise<Answer>;
  /** Restarts the service after it was stopped or killed. */
  start(): Promise<Service>;
  /** Stops everything and removes the folder. */
  close(): Promise<void>;
}

export interface ScenePlan
  extends
    Pick<InstallationPlan, 'database' | 'policy' | 'sessionGraceSeconds' | 'stopDelaySeconds' | 'ingestThreads'>,
    Pick<ServiceOptions, 'env' | 'node' | 'nodeArguments'> {}

export async function openScene({ env, node, nodeArguments = [], ...settings }: ScenePlan): Promise<Scene> {
  const { path: home } = await temporaryHome('scene');
  const receiver = await startWebhookReceiver();
  const [port, managementPort] = [await freePort(), await freePort()];
  const configFile = await writeInstallation({
    home,
    port,
    managementPort,
    licenseKey,
    webhookUrl: receiver.url,
    ...settings,
  });
  const given = { ...(env === undefined ? {} : { env }), ...(node === undefined ? {} : { node }) };
  const options = { configFile, port, managementPort, nodeArguments, ...given };
  let service = await startService(options).catch(async (error: unknown) => {
    await receiver.close();
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
    throw error;
  });
  return {
    home,
    options,
    receiver,
    management: new Management(service.managementUrl),
    get service() {
      return service;
    },
    tell: (kind, body) => tell(`${service.url}/api/v5/analytics/app/${kind}`, body),
    start: async () => (service = await startService(options)),
    close: async () => {
      await service.stop();
      await receiver.close();
      await rm(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** The service's home folder. */
export function stateOf(scene: Pick<Scene, 'home'>): string {
  return join(scene.home, 'state');
}

async function tell(url: string, body: object): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${licenseKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { readonly id?: string };
  return { status: response.status, id: answer.id };
}
