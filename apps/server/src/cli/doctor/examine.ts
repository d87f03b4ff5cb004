import type { Configuration } from '../../config/configuration.ts';
import { ConfigurationError } from '../../platform/shapes/mistakes.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { silentLog } from '../../platform/database/database-log.ts';
import { openFilesMax } from '../../platform/http/open-files.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import type { CliIo, CommonOptions } from '../cli-io.ts';
import {
  configurationOf,
  inDatabase,
  type OpenInstallation,
  requireDatabase,
  requireHome,
  requireTables,
  wholeConfigurationOf,
  withInstallation,
} from '../open-installation.ts';
import { checkAdminToken } from './check-admin-token.ts';
import { checkCertificates } from './check-certificates.ts';
import {
  checkClock,
  checkDurabilityOf,
  checkLocks,
  checkRole,
  checkStoredEvents,
  checkStoredObjects,
  checkTables,
} from './check-database.ts';
import { checkLogTopic } from './check-log-topic.ts';
import { checkLogIn } from './check-log-in.ts';
import { checkMasterKeys } from './check-master-keys.ts';
import { checkBinaries, checkDisk, checkHome, checkNode, checkOpenFiles, checkService } from './check-machine.ts';
import { checkNetworks } from './check-networks.ts';
import { checkNewLife } from './check-new-life.ts';
import { checkNotifications } from './check-notifications.ts';
import { checkProxies } from './check-proxies.ts';
import { checkRetention } from './check-retention.ts';
import { checkStreams } from './check-streams.ts';
import { checkSyslog } from './check-syslog.ts';
import { checkDeliveries, checkEngine, checkWebhooks, checkWorkspaces } from './check-workspaces.ts';
import { bad, type Finding, good, unwise } from './finding.ts';

/**
 * Checks an installation layer by layer. If a layer is broken, the layers that depend on it are skipped. Changes
 * nothing.
 */
export async function examine(
  io: CliIo,
  options: CommonOptions & { readonly webhooks?: boolean },
): Promise<readonly Finding[]> {
  const findings: Finding[] = [checkNode(), ...checkOpenFiles(openFilesMax())];
  const configuration = await examineConfiguration(io, options, findings);
  if (configuration === undefined) return findings;
  findings.push(...checkBinaries(configuration), ...(await checkService(configuration)));
  findings.push(...checkCertificates(configuration, io.now()));
  findings.push(...checkProxies(configuration));
  findings.push(examineAdminToken(configuration), checkLogIn(configuration));
  findings.push(checkNetworks(configuration, io.now()));
  if (!(await examineDatabase(io, configuration, findings))) return findings;
  try {
    await withInstallation(io, options, async (home) => {
      findings.push(...(await examineInstallation(io, options, home)));
      findings.push(...(await checkSyslog(configuration, { pool: home.pool, nowMs: io.now() })));
      for (const { name, url } of configuration.databases) {
        const found: Finding[] = [];
        if (await examineDatabase(io, { ...configuration, databaseUrl: url }, found)) {
          const work = async (one: OpenInstallation): Promise<void> =>
            void found.push(...(await examineInstallation(io, options, one)));
          await inDatabase(io, home, { name, work }).catch((error: unknown) => {
            found.push(fromError('installation', error));
          });
        }
        findings.push(...found.map((one) => ({ ...one, what: `${name}: ${one.what}` })));
      }
    });
  } catch (error) {
    findings.push(fromError('installation', error));
  }
  return findings;
}

/** What is stored in one database. */
async function examineInstallation(
  io: CliIo,
  options: { readonly webhooks?: boolean },
  installation: OpenInstallation,
): Promise<readonly Finding[]> {
  const { pool, database } = installation;
  return [
    await checkTables(pool),
    await checkStoredEvents(pool),
    await checkLocks(pool),
    ...(await checkMasterKeys(installation)),
    ...(await checkWorkspaces(installation, io.now())),
    ...(await checkEngine(installation, io.now())),
    ...(await checkNewLife(installation, io.now())),
    ...(await checkDeliveries(installation)),
    ...(await checkNotifications(installation)),
    ...(await checkRetention(installation, io.now())),
    ...(await checkLogTopic(database.connection, pool)),
    ...(await checkStreams(installation, io.now())),
    ...(options.webhooks === true ? await checkWebhooks(installation) : []),
  ];
}

/** Even if the file's workspaces are invalid, the rest of the file is used to find the installation. */
async function examineConfiguration(
  io: CliIo,
  options: CommonOptions,
  findings: Finding[],
): Promise<Configuration | undefined> {
  try {
    const { file, warnings } = wholeConfigurationOf(io, options);
    findings.push(good('configuration', file ?? 'none: defaults and environment'));
    for (const warning of warnings) findings.push(unwise('configuration', warning, 'Change it in the file.'));
  } catch (error) {
    findings.push(fromError('configuration', error));
  }
  try {
    const configuration = configurationOf(io, options);
    requireHome(configuration);
    findings.push(...checkHome(configuration), ...(await checkDisk(configuration)));
    return configuration;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) findings.push(fromError('home', error));
    return undefined;
  }
}

function examineAdminToken(configuration: Configuration): Finding {
  try {
    return checkAdminToken(configuration);
  } catch (error) {
    return fromError('admin token', error);
  }
}

/** @returns whether the database can be used */
async function examineDatabase(io: CliIo, configuration: Configuration, findings: Finding[]): Promise<boolean> {
  const { databaseUrl, home } = configuration;
  try {
    await requireDatabase(configuration);
    const database = await openDatabase({ databaseUrl, home, log: silentLog, attach: true, atOnce: true });
    try {
      findings.push(good('database', `${database.kind}, ${database.where}`));
      findings.push(...(await checkDurabilityOf(database.pool)), await checkClock(database.pool, io));
      findings.push(...(await checkRole(database.pool)));
      await requireTables(database);
      const gone = await checkStoredObjects(database.pool);
      findings.push(...gone);
      return gone.length === 0;
    } finally {
      await database.close();
    }
  } catch (error) {
    findings.push(fromError('database', error));
    return false;
  }
}

function fromError(what: string, error: unknown): Finding {
  if (error instanceof OperatorError) return bad(what, error.message, error.mend);
  if (error instanceof ConfigurationError)
    return bad(what, `it is invalid\n${error.message.replaceAll(/^/gm, '       ')}`, 'Fix these mistakes.');
  return bad(
    what,
    error instanceof Error ? error.message : String(error),
    'This problem is not known: please report it.',
  );
}
