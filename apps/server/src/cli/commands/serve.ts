import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type BannerData, printBanner } from '../../config/banner.ts';
import { sayDeclared } from '../../config/say-declared.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { ConfigurationOptions } from '../../config/environment.ts';
import { systemClock } from '../../deliver/clock.ts';
import { homeDatabase } from '../../platform/database/cell.ts';
import { makeLogger } from '../../platform/observability/logger.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { RepeatedLines } from '../../platform/observability/repeated-lines.ts';
import { loadEngineThreads } from '../../decide/engine-host.ts';
import { loadIngestThreads } from '../../ingest/ingest-threads.ts';
import type { Service } from '../../service.ts';
import { about } from '../about.ts';
import { type CliIo, exitCodes, UsageError } from '../cli-io.ts';
import { asPort, onListener } from '../listen-options.ts';
import { Supervisor } from '../supervisor.ts';
import { wholeConfigurationOf } from '../open-installation.ts';
import type { Shell } from '../shell.ts';

export function addServeCommand({ program, io, fail }: Shell): void {
  const inFolder = program
    .command('serve')
    .option('--config <file>', 'configuration file (RINGFENCE_CONFIG)')
    .option('--home <folder>', 'embedded database and secrets (RINGFENCE_HOME; default: .ringfence)');
  const command = onListener(inFolder)
    .option('--management-host <address>', 'management API and metrics (MANAGEMENT_HOST; default: 127.0.0.1)')
    .option('--management-port <number>', 'management API and metrics (MANAGEMENT_PORT; default: 8081)', asPort)
    .option(
      '--allow-local-webhooks',
      'send webhooks of development workspaces to this machine, too (RINGFENCE_ALLOW_LOCAL_WEBHOOKS)',
    )
    .option('--door-only', 'only ingest events; other processes on the same DATABASE_URL decide and deliver')
    .option(
      '--databases <names>',
      'decide and deliver for these databases only, like home,north; default: all',
      asNames,
    )
    .action(async (options: ServeOptions) => {
      if (!(await serve(io, options))) fail(exitCodes.failed);
    });
  about(command, {
    summary: 'Run the service until SIGTERM or SIGINT.',
    details:
      'Without any configuration it creates an embedded database, a development and a production workspace with generated keys (shown once) and a starter policy, and sends nothing. Logs go to standard error. On SIGTERM or SIGINT it finishes accepted requests, then stops.',
    examples: [
      ['ringfence serve', 'try it'],
      ['ringfence serve --allow-local-webhooks', 'try it with a webhook on this machine'],
      ['ringfence serve --config ringfence.yaml', 'with a configuration file'],
      ['DATABASE_URL=postgresql://… ringfence serve', 'on your own PostgreSQL'],
    ],
    failure: 'it could not start, or a part of it failed',
  });
}

interface ServeOptions extends ConfigurationOptions {
  readonly doorOnly?: boolean;
  readonly databases?: readonly string[];
}

function asNames(value: string): readonly string[] {
  return value.split(',').map((name) => name.trim());
}

/** The databases that this process decides. @throws UsageError if one of them is not declared */
function decidedBy({ databases }: Configuration, options: ServeOptions): readonly string[] {
  const all = [homeDatabase, ...databases.map(({ name }) => name)];
  if (options.doorOnly === true) return [];
  const unknown = options.databases?.find((name) => !all.includes(name));
  if (unknown === undefined) return all.filter((name) => options.databases?.includes(name) ?? true);
  throw new UsageError(`--databases: there is no database "${unknown}"; expected some of ${all.join(', ')}`);
}

/** @returns false if it stopped because a part failed */
async function serve(io: CliIo, options: ServeOptions): Promise<boolean> {
  const configuration = wholeConfigurationOf(io, options);
  const repeats = new RepeatedLines(systemClock);
  const logger = makeLogger({ level: configuration.logLevel, human: process.stderr.isTTY, repeats });
  try {
    return await serveUntilStopped(io, { configuration, logger, options });
  } finally {
    repeats.sayAll();
  }
}

interface Serving {
  readonly configuration: Configuration;
  readonly logger: Logger;
  readonly options: ServeOptions;
}

async function serveUntilStopped(io: CliIo, { configuration, logger, options }: Serving): Promise<boolean> {
  for (const warning of configuration.warnings) logger.warn(warning);
  const ended = Promise.withResolvers<boolean>();
  let mendable: OperatorError | undefined;
  // They take a second to load, so they load in parallel.
  const ingestThreads = loadIngestThreads(configuration.ingestThreads);
  const decides = decidedBy(configuration, options);
  const engineThreads = loadEngineThreads(decides.length * configuration.deciders);
  const { startService } = await import('../../service.ts');
  const starting = startService({
    configuration,
    logger,
    ingestThreads,
    engineThreads,
    decides,
    stop: io.stop,
    onCrash: (error) => {
      if (error instanceof OperatorError) mendable ??= error;
      else logger.fatal({ err: error }, 'a part failed; stopping, so that a restart can recover');
      ended.resolve(false);
    },
  });
  const service = await starting.catch((error: unknown) => {
    if (!io.stop.aborted) throw error;
    logger.info('stopped before the start was complete');
    return undefined;
  });
  if (service === undefined) return true;
  const supervisor = new Supervisor(io.environment, logger);
  await supervisor.tell('READY=1');
  supervisor.watch(() => service.answers());
  sayDeclared(service.made, logger);
  const banner = { ...bannerOf(configuration, service), startedWith: options };
  let isShown = false;
  const show = (): void => {
    if (!isShown) io.write(printBanner(banner));
    isShown = true;
  };
  void service.ready().then(() => {
    if (!io.stop.aborted) show();
  });
  io.stop.addEventListener('abort', () => ended.resolve(true), { once: true });
  if (io.stop.aborted) ended.resolve(true);
  const asked = await ended.promise;
  // Generated keys cannot be shown later.
  if (banner.newKeys.length > 0) show();
  if (asked && configuration.stopDelaySeconds > 0)
    await waitForBalancers(service, configuration.stopDelaySeconds, logger);
  await supervisor.stopping();
  logger.info('stopping');
  await service.stop();
  logger.info('stopped');
  if (mendable !== undefined) throw mendable;
  return asked;
}

/** Reports "not ready" for `seconds` while still serving, so that load balancers stop sending requests here. */
async function waitForBalancers(service: Service, seconds: number, logger: Logger): Promise<void> {
  logger.info({ stopDelaySeconds: seconds }, 'reporting not ready; still serving requests until the listeners close');
  service.announceStop();
  await sleep(seconds * 1_000);
}

function bannerOf(configuration: Configuration, service: Service): Omit<BannerData, 'startedWith'> {
  const { first, declared } = service.made;
  const { kind, where } = service.database;
  return {
    listenUrl: service.listenUrl,
    managementUrl: service.managementUrl,
    consoleUrl: `${service.consoleOrigin}/console/`,
    firstLink:
      service.made.administrator === undefined
        ? undefined
        : `${service.consoleOrigin}/console/first#token=${service.made.administrator.token}`,
    adminTokenPath: service.adminToken.path,
    home: configuration.home,
    database: kind === 'embedded' ? `embedded PostgreSQL under ${where}` : `PostgreSQL, ${where}`,
    newKeys: [
      ...first.map(({ name, environment, licenseKey }) => ({
        label: `${name}/${environment}`,
        environment,
        key: licenseKey,
      })),
      ...declared.made.flatMap(({ label, environment, keys }) =>
        keys.map(({ text }) => ({ label, environment, key: text })),
      ),
    ],
  };
}
