import { readFileSync } from 'node:fs';
import { checkPublicKey, type AllowedRange } from '@ringfence/delivery';
import { loadPolicy } from '@ringfence/policy';
import { licenseKeyRefusal } from '../tenancy/workspaces/license-keys.ts';
import { OperatorError } from '../platform/observability/operator-error.ts';
import { parseDefinition, type WorkspaceDefinition } from '../tenancy/workspaces/settings.ts';
import { type Mistake, named } from '../platform/shapes/check.ts';
import type { DeclaredWorkspace } from './configuration.ts';
import type { WrittenWorkspace } from './file-shape.ts';
import type { ConfigurationMistake } from '../platform/shapes/mistakes.ts';
import { readPolicyFolder } from './policy-folder.ts';
import { fileErrorReason } from './file-error.ts';
import { homeDatabase } from '../platform/database/cell.ts';
import { packNames } from '../policies/policy-packs.ts';

/** Collects mistakes and warnings, and holds what the checks need. */
export interface Findings {
  readonly allow: readonly AllowedRange[];
  /** Policies already read, by folder: several workspaces may share one, and its mistakes are reported once. */
  readonly policies: Map<string, NonNullable<DeclaredWorkspace['policy']>>;
  /** Makes a path of the file absolute. */
  resolve(path: string): string;
  /** Reports a mistake at a path of the configuration file. */
  wrong(path: readonly (string | number)[], message: string): void;
  /** Reports a mistake in another file. */
  wrongIn(mistake: ConfigurationMistake): void;
  warn(message: string): void;
}

/** Members that name a file, and the settings that receive the file's content. */
const pemFiles = [
  ['publicKeyFile', 'publicKeyPem'],
  ['caFile', 'caPem'],
  ['clientCertificateFile', 'clientCertificatePem'],
  ['clientKeyFile', 'clientKeyPem'],
] as const;
/** The settings whose files may be renewed while the service runs. */
const followed = ['caPem', 'clientCertificatePem', 'clientKeyPem'] as const;

/** Reads the files that a declared workspace names, and makes the checks that need their content. */
export function resolveWorkspace(
  written: WrittenWorkspace,
  index: number,
  findings: Findings,
): DeclaredWorkspace | undefined {
  const { name, environment, licenseKeys } = written;
  for (const [i, key] of (licenseKeys ?? []).entries()) {
    const expected = licenseKeyRefusal(key, environment);
    const path = ['workspaces', index, 'licenseKeys', i];
    if (expected !== undefined) findings.wrong(path, `${named(path)}: expected ${expected}`);
  }
  const definition = resolveDefinition(written, index, findings);
  const policy = resolvePolicy(written, index, findings);
  if (definition === undefined) return undefined;
  const { database = homeDatabase } = written;
  const webhookFiles = webhookFilesOf(written, findings);
  return { name, environment, licenseKeys, database, definition, policy, webhookFiles };
}

function webhookFilesOf({ webhook }: WrittenWorkspace, findings: Findings): DeclaredWorkspace['webhookFiles'] {
  return followed.flatMap((member) => {
    const file = webhook?.[pemFiles.find(([, pemMember]) => pemMember === member)![0]];
    return file === undefined ? [] : [{ member, file: findings.resolve(file) }];
  });
}

function resolveDefinition(
  written: WrittenWorkspace,
  index: number,
  findings: Findings,
): WorkspaceDefinition | undefined {
  const {
    name,
    environment,
    licenseKeys: _keys,
    database: _database,
    policy: _policy,
    webhook,
    channels = [],
    ...general
  } = written;
  const settings =
    webhook === undefined
      ? { ...general, deliver: 'observe' }
      : { ...general, deliver: webhook.deliver, webhook: readPemFiles(webhook, index, findings) };
  const result = parseDefinition({ name, environment, allow: findings.allow }, { settings, channels });
  if (!result.ok) {
    for (const mistake of result.mistakes) {
      const path = ['workspaces', index, ...writtenPath(mistake.path)];
      findings.wrong(path, messageFor(path, mistake));
    }
    return undefined;
  }
  const { publicKeyPem } = result.definition.settings.webhook ?? {};
  const check = publicKeyPem === undefined ? undefined : checkPublicKey(publicKeyPem);
  if (check?.ok === true && check.warning !== undefined) {
    findings.warn(`${named(['workspaces', index, 'webhook', 'publicKeyFile'])}: ${check.warning}`);
  }
  return result.definition;
}

function readPemFiles(
  webhook: NonNullable<WrittenWorkspace['webhook']>,
  index: number,
  findings: Findings,
): Readonly<Record<string, unknown>> {
  const settings: Record<string, unknown> = { ...webhook };
  delete settings['deliver'];
  for (const [fileMember, pemMember] of pemFiles) {
    delete settings[fileMember];
    const file = webhook[fileMember];
    if (file === undefined) continue;
    const text = readText(['workspaces', index, 'webhook', fileMember], file, findings);
    if (text !== undefined) settings[pemMember] = text;
  }
  return settings;
}

/** The file's text; an unreadable file is reported at the member that names it. */
export function readText(path: readonly (string | number)[], file: string, findings: Findings): string | undefined {
  const resolved = findings.resolve(file);
  try {
    return readFileSync(resolved, 'utf8');
  } catch (error) {
    findings.wrong(path, `${named(path)}: ${resolved} cannot be read (${fileErrorReason(error)})`);
    return undefined;
  }
}

/** Translates a path of the settings to the path in the configuration file. */
function writtenPath(path: readonly (string | number)[]): readonly (string | number)[] {
  const [part, ...rest] = path;
  if (part === 'channels') return path;
  if (rest[0] === 'deliver') return ['webhook', 'deliver'];
  const file = pemFiles.find(([, pemMember]) => pemMember === rest[1])?.[0];
  return file === undefined ? rest : ['webhook', file];
}

function messageFor(path: readonly (string | number)[], mistake: Mistake): string {
  const before = mistake.message.startsWith('webhook.url cannot')
    ? mistake.message.replace('webhook.url ', '')
    : undefined;
  return before === undefined ? `${named(path)}: expected ${mistake.expected}` : `${named(path)} ${before}`;
}

function resolvePolicy(written: WrittenWorkspace, index: number, findings: Findings): DeclaredWorkspace['policy'] {
  if (written.policy === undefined) return undefined;
  const folder = findings.resolve(written.policy);
  const known = findings.policies.get(folder);
  if (known !== undefined) return known;
  const path = ['workspaces', index, 'policy'];
  try {
    const files = readPolicyFolder(folder);
    const result = loadPolicy(files, { packNames: packNames() });
    for (const error of result.ok ? result.warnings : result.errors) {
      const hint = error.suggestion === undefined ? '' : ` (${error.suggestion})`;
      const mistake = {
        where: `${folder}/${error.file}`,
        line: error.line,
        column: error.column,
        message: error.message + hint,
      };
      if (error.severity === 'error') findings.wrongIn(mistake);
      else findings.warn(`${mistake.where}:${mistake.line}:${mistake.column}: ${mistake.message}`);
    }
    const policy = { folder, files };
    findings.policies.set(folder, policy);
    return policy;
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    findings.wrong(path, `${named(path)}: ${error.message}`);
    return undefined;
  }
}
