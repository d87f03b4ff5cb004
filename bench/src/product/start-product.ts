import { join } from 'node:path';
import {
  freePort,
  type InstallationPlan,
  type Service,
  startService,
  temporaryHome,
  writeInstallation,
} from '@ringfence/e2e';
import { benchPolicy } from './bench-policy.ts';

/** The real service, started as by an operator, on an embedded database in a temporary folder. */
export interface Product {
  readonly port: number;
  readonly licenseKey: string;
  /** The service's home folder. */
  readonly stateFolder: string;
  readonly service: Service;
  stop(): Promise<void>;
}

export interface ProductOptions {
  readonly webhookUrl: string;
  /** How long an operation waits for its login; absent: the service's default. */
  readonly sessionGraceSeconds?: number;
  /** An alert is due this many minutes after it was opened; absent: never. */
  readonly dueMinutes?: number;
  /** Arguments for Node itself, before the program. */
  readonly nodeArguments?: readonly string[];
  /** A second workspace, for development. */
  readonly development?: { readonly licenseKey: string; readonly policy: Readonly<Record<string, string>> };
  /** Keeps the bytes of the log in Kafka. */
  readonly logTopic?: NonNullable<InstallationPlan['logTopic']>;
  /** Further arguments of `serve`. */
  readonly serveArguments?: readonly string[];
}

export async function startProduct(options: ProductOptions): Promise<Product> {
  const home = await temporaryHome('bench');
  const [port, managementPort] = [await freePort(), await freePort()];
  const licenseKey = `bench-license-key-${'0'.repeat(32)}`;
  const policy = await benchPolicy();
  const { nodeArguments = [], serveArguments = [], ...told } = options;
  const configFile = await writeInstallation({ home: home.path, port, managementPort, licenseKey, policy, ...told });
  const service = await startService({ configFile, port, managementPort, nodeArguments, serveArguments }).catch(
    async (error: unknown) => {
      await home.remove();
      throw error;
    },
  );
  return {
    port,
    licenseKey,
    stateFolder: join(home.path, 'state'),
    service,
    stop: async () => {
      await service.stop();
      await home.remove();
    },
  };
}
