import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { localWebhooks } from '@ringfence/delivery';
import { homeDatabase } from '../platform/database/cell.ts';
import { check, named } from '../platform/shapes/check.ts';
import type { Configuration, DeclaredWorkspace } from './configuration.ts';
import { type Findings, readText, resolveWorkspace } from './declared-workspace.ts';
import { type ConfigurationOptions, type EnvironmentSettings, readEnvironment } from './environment.ts';
import {
  decidersDefault,
  ingestThreadsDefault,
  sharesDefault,
  entityMemoryMiBDefault,
  fileShape,
  stopDelaySecondsDefault,
  workspaceFileShape,
  type WrittenFile,
  type WrittenWorkspace,
} from './file-shape.ts';
import {
  checkApart,
  type ListenerDefaults,
  parseAllowedRanges,
  resolveLimits,
  resolveListener,
  warnOfOpenManagement,
} from './listener.ts';
import { resolveLogTopic } from './log-topic.ts';
import { resolveSyslog } from './syslog-server.ts';
import { consoleWarning, resolveConsole } from './console.ts';
import { resolveDatabases } from './databases.ts';
import { resolveMail } from './notifications.ts';
import { resolveStreams } from './streams.ts';
import { ConfigurationError, type ConfigurationMistake } from '../platform/shapes/mistakes.ts';
import { fileErrorReason } from './file-error.ts';
import { type Environment, misnamedVariables } from './variable-names.ts';
import type { MailSettings } from '../notify/mail-server.ts';
import { certificateRefusal } from '../tenancy/workspaces/pem.ts';
import type { KeyCommand } from '../platform/secrets/key-command.ts';
import { readYaml, type YamlDocument } from '../platform/shapes/yaml-document.ts';

const listenDefaults = { host: '127.0.0.1', port: 8_080 };
const managementDefaults = { host: '127.0.0.1', port: 8_081 };
const homeDefault = '.ringfence';

/**
 * Loads the configuration of this process. Options override the environment, which overrides the file. Reads every file
 * that the configuration file names, and changes nothing.
 *
 * @param folder the working folder, base of relative paths in options and environment; relative paths in the file start
 *   from the file's own folder
 * @throws ConfigurationError with all mistakes
 */
export function loadConfiguration(
  options: ConfigurationOptions,
  environment: Environment,
  folder: string,
): Configuration {
  const mistakes: ConfigurationMistake[] = [];
  const warnings: string[] = [];
  const from = readEnvironment(options, environment, mistakes);
  const file = from.config === undefined ? undefined : resolve(folder, from.config);
  const document = file === undefined ? undefined : readFile(file, environment, mistakes);
  const whole =
    document === undefined ? undefined : options.withoutWorkspaces === true ? withoutWorkspaces(document) : document;
  const written = whole === undefined ? noFile : checkFile(whole, mistakes);
  const stated = { ofFile: document?.variables ?? new Set<string>(), database: written.database };
  mistakes.push(...misnamedVariables(environment, stated));
  const findings: Findings = {
    allow: [
      ...parseAllowedRanges(written.allowPrivateWebhooks),
      ...(from.allowLocalWebhooks === true ? localWebhooks : []),
    ],
    policies: new Map(),
    resolve: (path) => resolve(file === undefined ? folder : dirname(file), path),
    wrong: (path, message) => mistakes.push({ ...document!.at(path, false), message }),
    wrongIn: (mistake) => mistakes.push(mistake),
    warn: (message) => warnings.push(message),
  };
  if (!mistakes.some(({ where }) => where === 'DATABASE_URL')) checkDatabase(written, from, findings);
  const configuration = assemble(written, from, findings);
  const home = from.home === undefined ? findings.resolve(written.home ?? homeDefault) : resolve(folder, from.home);
  const noHome = homeRefusal(home);
  if (noHome !== undefined) {
    if (from.home === undefined && written.home !== undefined) findings.wrong(['home'], `home: ${noHome}`);
    else mistakes.push({ where: 'home', line: undefined, column: undefined, message: noHome });
  }
  // Commands do not listen, so equal ports are fine: `ringfence health --port` may query the other listener.
  if (options.withoutWorkspaces !== true) checkApart(configuration, ofFile(written, from), findings);
  if (mistakes.length > 0) throw new ConfigurationError(inOrder(file, mistakes));
  return { ...configuration, file, home, warnings };
}

/** Which database is used must not depend on a variable that got lost. */
function checkDatabase({ database }: RightParts, { databaseUrl }: EnvironmentSettings, findings: Findings): void {
  if (database === 'external' && databaseUrl === undefined) {
    findings.wrong(
      ['database'],
      'database: expected DATABASE_URL in the environment of this process, which is not set',
    );
  }
  if (database === 'embedded' && databaseUrl !== undefined) {
    const message = 'database: expected external, because DATABASE_URL is set; or unset DATABASE_URL for this process';
    findings.wrong(['database'], message);
  }
}

/** The valid parts of the file: invalid members are left out, so that the other members can be checked further. */
type RightParts = Omit<WrittenFile, 'workspaces'> & { readonly workspaces?: readonly (WrittenWorkspace | undefined)[] };

const noFile: RightParts = {};

/** The listeners whose port comes from the file. `management` is first, because its port is changed more often. */
function ofFile(written: RightParts, from: EnvironmentSettings): readonly ('management' | 'listen')[] {
  const isOfFile = {
    management: from.managementPort === undefined && written.management?.port !== undefined,
    listen: from.port === undefined && written.listen?.port !== undefined,
  };
  return (['management', 'listen'] as const).filter((name) => isOfFile[name]);
}

function readFile(file: string, environment: Environment, mistakes: ConfigurationMistake[]): YamlDocument | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    // An empty file must not count as one without settings: that would start a new installation with its own database.
    if (text.trim() === '') throw new Error('it is empty; a full disk or a power failure can cause this');
    return readYaml(file, text, environment);
  } catch (error) {
    const message = `cannot be read: ${fileErrorReason(error)}`;
    mistakes.push({ where: file, line: undefined, column: undefined, message });
    return undefined;
  }
}

function withoutWorkspaces(document: YamlDocument): YamlDocument {
  const { value, mistakes } = document;
  const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
  const kept = isMapping ? Object.fromEntries(Object.entries(value).filter(([key]) => key !== 'workspaces')) : value;
  return { ...document, value: kept, mistakes: mistakes.filter(({ path }) => path?.[0] !== 'workspaces') };
}

function checkFile(document: YamlDocument, mistakes: ConfigurationMistake[]): RightParts {
  mistakes.push(...document.mistakes);
  if (document.value === undefined) return noFile;
  const checked = check(fileShape, document.value);
  if (checked.ok) return checked.value;
  const told = new Set(document.mistakes.map(({ line, column }) => `${line}:${column}`));
  for (const { path, onKey, message } of checked.mistakes) {
    const at = document.at(path, onKey);
    // A value with an unset variable is reported once, not twice.
    if (!told.has(`${at.line}:${at.column}`)) mistakes.push({ ...at, message });
  }
  return rightParts(document.value);
}

function rightParts(value: unknown): RightParts {
  if (typeof value !== 'object' || value === null) return noFile;
  const right: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value) as [string, unknown][]) {
    if (key === 'workspaces') {
      if (Array.isArray(member)) right[key] = member.map(rightWorkspace);
      continue;
    }
    const alone = check(fileShape, { [key]: member });
    if (alone.ok) Object.assign(right, alone.value);
  }
  return right;
}

/** The valid members of a workspace; `undefined` if its name or environment is invalid. */
function rightWorkspace(value: unknown): WrittenWorkspace | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, environment } = value as Readonly<Record<string, unknown>>;
  const alone = check(workspaceFileShape, { name, environment });
  if (!alone.ok) return undefined;
  let right = alone.value;
  for (const [key, member] of Object.entries(value)) {
    const withOne = check(workspaceFileShape, { name, environment, [key]: member as unknown });
    if (withOne.ok) right = { ...right, [key]: withOne.value[key as keyof WrittenWorkspace] };
  }
  return right;
}

function assemble(
  written: RightParts,
  from: EnvironmentSettings,
  findings: Findings,
): Omit<Configuration, 'file' | 'home'> {
  const over = (host: string | undefined, port: number | undefined, defaults: ListenerDefaults) => ({
    host,
    port,
    defaults,
  });
  const listen = over(from.host, from.port, listenDefaults);
  const manage = over(from.managementHost, from.managementPort, managementDefaults);
  const management = resolveListener('management', { written: written.management, ...manage }, findings);
  warnOfOpenManagement(management, findings);
  const console = resolveConsole(written.console);
  const consoleIsOdd = consoleWarning(console);
  if (consoleIsOdd !== undefined) findings.warn(consoleIsOdd);
  return {
    listen: {
      ...resolveListener('listen', { written: written.listen, ...listen }, findings),
      limits: resolveLimits(written.listen),
    },
    management,
    console,
    mail: mailOf(written, findings),
    syslog: resolveSyslog(written.audit?.syslog, findings),
    streams: resolveStreams(written.streams, findings),
    databaseUrl: from.databaseUrl,
    logTopic: resolveLogTopic(written.log?.kafka, findings),
    asksForEmbedded: written.database === 'embedded',
    databases: resolveDatabases(written.databases, (path, message) => findings.wrong(path, message)),
    logLevel: from.logLevel ?? written.logLevel ?? 'info',
    stopDelaySeconds: written.stopDelaySeconds ?? stopDelaySecondsDefault,
    entityMemoryMiB: written.entityMemoryMiB ?? entityMemoryMiBDefault,
    deciders: written.deciders ?? decidersDefault,
    ingestThreads: written.ingestThreads ?? ingestThreadsDefault,
    shares: { ...sharesDefault, ...written.shares },
    allowPrivateWebhooks: findings.allow,
    workspaces: written.workspaces === undefined ? undefined : declared(written, findings),
    masterKey: from.masterKey,
    masterKeyCommand: keyCommand(written, from, findings),
    adminToken: from.adminToken,
    warnings: [],
  };
}

function mailOf({ notifications }: RightParts, findings: Findings): MailSettings | undefined {
  const path = ['notifications', 'smtp', 'caFile'];
  const file = notifications?.smtp?.caFile;
  const caPem = file === undefined ? undefined : readText(path, file, findings);
  const refusal = caPem === undefined ? undefined : certificateRefusal(caPem);
  if (refusal !== undefined) findings.wrong(path, `notifications.smtp.caFile: expected ${refusal}`);
  return resolveMail(notifications, caPem);
}

function keyCommand({ masterKey }: RightParts, from: EnvironmentSettings, findings: Findings): KeyCommand | undefined {
  if (masterKey === undefined) return undefined;
  if (from.masterKey !== undefined) {
    findings.wrong(['masterKey'], 'masterKey: expected no RINGFENCE_MASTER_KEY beside it, but it is set');
  }
  return masterKey;
}

function declared(
  { workspaces: written = [], databases: further = {} }: RightParts,
  findings: Findings,
): readonly DeclaredWorkspace[] {
  const names = new Set<string>();
  const keys = new Set<string>();
  const databases = new Set([homeDatabase, ...Object.keys(further)]);
  return written.flatMap((one, i) => {
    if (one === undefined) return [];
    const label = `${one.name}/${one.environment}`;
    if (names.has(label)) {
      findings.wrong(['workspaces', i, 'name'], `workspaces[${i}].name: ${label} is already declared above`);
    }
    names.add(label);
    for (const [j, key] of (one.licenseKeys ?? []).entries()) {
      const path = ['workspaces', i, 'licenseKeys', j];
      if (keys.has(key))
        findings.wrong(
          path,
          `workspaces[${i}].licenseKeys[${j}]: this key is already used above; a key belongs to one workspace only`,
        );
      keys.add(key);
    }
    if (!databases.has(one.database ?? homeDatabase)) {
      const path = ['workspaces', i, 'database'];
      findings.wrong(path, `${named(path)}: expected ${[...databases].join(' or ')}`);
    }
    const workspace = resolveWorkspace(one, i, findings);
    return workspace === undefined ? [] : [workspace];
  });
}

/** Sorts mistakes: first those outside files, then the configuration file by line, then the files that it names. */
function inOrder(file: string | undefined, mistakes: readonly ConfigurationMistake[]): readonly ConfigurationMistake[] {
  const rank = ({ where, line }: ConfigurationMistake): number => (line === undefined ? 0 : where === file ? 1 : 2);
  return mistakes.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      (rank(a) < 2 ? 0 : a.where.localeCompare(b.where)) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0),
  );
}

/** Virtual file systems of the kernel: nothing can be stored there, and creating a folder there may hang. */
const kernelFolders = ['/proc', '/sys', '/dev'];
/** A writable file system in memory, below /dev. */
const memoryFolder = '/dev/shm';

/** Why an absolute path cannot be the home of an installation: an error message without a full stop. */
function homeRefusal(home: string): string | undefined {
  const isIn = (folder: string): boolean => home === folder || home.startsWith(`${folder}/`);
  if (isIn(memoryFolder)) return undefined;
  const folder = kernelFolders.find(isIn);
  return folder === undefined ? undefined : `expected a folder on a disk, but ${home} is in ${folder}`;
}
