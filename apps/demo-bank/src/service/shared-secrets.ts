import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Installation, workspaceName } from './installation.ts';
import { ownEnvironment, program } from './program.ts';

const run = promisify(execFile);
/** A command opens the database of the running service: a second or two. */
const timeoutMs = 30_000;

/** What a bank receives from its operator in addition to the license key. */
export interface SharedSecrets {
  /** Signs webhooks, `whsec_` and base64. */
  readonly signingSecret: string;
  /** Hashes clients in webhooks, base64. */
  readonly pepper: string;
  /** Public keys that the bank's page encrypts device tokens to, a JWK set. */
  readonly deviceKeys: string;
}

/** Reads them with the commands that an operator would use, while the service runs. */
export async function readSharedSecrets(installation: Installation): Promise<SharedSecrets> {
  const [signingSecret, pepper, deviceKeys] = await Promise.all([
    ringfence(installation, 'webhook', 'secret'),
    ringfence(installation, 'pepper', 'export'),
    ringfence(installation, 'device-key', 'list', '--json'),
  ]);
  return { signingSecret, pepper, deviceKeys };
}

async function ringfence({ configFile }: Installation, ...command: string[]): Promise<string> {
  const args = [program, ...command, '--workspace', `${workspaceName}/production`, '--config', configFile];
  const { stdout } = await run(process.execPath, args, { env: ownEnvironment(), timeout: timeoutMs });
  return stdout.trim();
}
