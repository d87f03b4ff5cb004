import { checkPublicKey } from '@ringfence/delivery';
import { labelOf } from '../../config/reconcile.ts';
import { embeddedInProduction, isEmbeddedInProduction } from '../../platform/database/embedded/in-production.ts';
import { readBacklogs } from '../../platform/observability/backlog.ts';
import { webhookCertificatesLeft } from '../../tenancy/workspaces/webhook-certificate-expiry.ts';
import type { Pool } from 'pg';
import { findDoubleKeys } from '../../tenancy/cells/key-owners.ts';
import { listLicenseKeys } from '../../tenancy/workspaces/license-keys.ts';
import { certificateWarning } from '../../tenancy/workspaces/pem.ts';
import { listWorkspaces } from '../../tenancy/workspaces/workspace-store.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { endpointTrouble } from '../endpoint-trouble.ts';
import type { OpenInstallation } from '../open-installation.ts';
import { counted } from '../print.ts';
import { sendTest } from '../send-test.ts';
import { noticeMs } from './check-certificates.ts';
import { bad, type Finding, good, unwise } from './finding.ts';

/** An engine with a larger lag does not keep up. */
const lagMsMax = 10_000;
/** The most actions counted; beyond it the finding shows "or more". */
const actionsMax = 200;
const renewMend =
  'Renew it: a file named in the configuration is read again within half a minute; otherwise use ringfence workspace set.';

export async function checkWorkspaces(installation: OpenInstallation, nowMs: number): Promise<readonly Finding[]> {
  const all = await listWorkspaces(installation);
  if (all.length === 0)
    return [unwise('workspaces', 'there are none', 'ringfence workspace create NAME -e development')];
  const findings: Finding[] = [];
  if (isEmbeddedInProduction(installation.database.kind, all)) {
    findings.push(unwise('binaries', embeddedInProduction.detail, embeddedInProduction.mend));
  }
  for (const workspace of all) findings.push(...(await checkWorkspace(installation, workspace, nowMs)));
  return [...findings, ...(await checkDoubleKeys(installation))];
}

async function checkDoubleKeys(installation: OpenInstallation): Promise<readonly Finding[]> {
  return (await findDoubleKeys(installation)).map(({ id, hint, label, other }) =>
    bad(
      `workspace ${label}`,
      `its license key ${hint} is, or was, a key of ${other} too: its events may arrive there`,
      `ringfence key create -w ${label}, give that key to the bank, then: ringfence key revoke ${id} -w ${label}`,
    ),
  );
}

async function checkWorkspace(
  { pool }: OpenInstallation,
  workspace: Workspace,
  nowMs: number,
): Promise<readonly Finding[]> {
  const label = labelOf(workspace);
  const what = `workspace ${label}`;
  const findings: Finding[] = [];
  const live = (await listLicenseKeys(pool, workspace.id)).filter(({ state }) => state !== 'revoked');
  if (live.length === 0) {
    findings.push(bad(what, 'no live license key: every event is refused', `ringfence key create -w ${label}`));
  } else if (!live.some(({ state }) => state === 'sent')) {
    findings.push(
      bad(
        what,
        'webhooks wait, because no key is set to be sent with them',
        `ringfence key promote ${live[0]!.id} -w ${label}`,
      ),
    );
  }
  if (workspace.policyVersion === undefined) {
    findings.push(unwise(what, 'no policy: no rule fires', `ringfence policy apply DIR -w ${label}`));
  }
  const { deliver, webhook } = workspace.settings;
  if (deliver === 'observe' && workspace.environment === 'production') {
    const mend = `To send actions: ringfence workspace set ${label} webhook.url=… deliver=live`;
    findings.push(unwise(what, 'it only observes: it decides, but sends nothing', mend));
  }
  const key = webhook?.publicKeyPem === undefined ? undefined : checkPublicKey(webhook.publicKeyPem);
  if (key?.ok === true && key.warning !== undefined) {
    findings.push(unwise(what, `its RSA key: ${key.warning}`, 'Ask the bank for a longer one.'));
  }
  for (const pem of [webhook?.caPem, webhook?.clientCertificatePem]) {
    const warning = pem === undefined ? undefined : certificateWarning(pem, nowMs);
    if (warning !== undefined) findings.push(bad(what, warning, 'Replace the certificate.'));
  }
  for (const { labels, leftMs } of webhookCertificatesLeft([workspace], nowMs)) {
    if (leftMs < 0 || leftMs > noticeMs || !('certificate' in labels)) continue;
    const until = new Date(nowMs + leftMs).toISOString();
    findings.push(unwise(what, `the ${labels.certificate} certificate of its webhook expires at ${until}`, renewMend));
  }
  return findings.length === 0
    ? [good(what, `${counted(live.length, 'live key')}, policy ${workspace.policyVersion ?? '-'}`)]
    : findings;
}

/** Checks that the engine keeps up with the log, and that no record is quarantined. */
export async function checkEngine({ pool, log }: OpenInstallation, nowMs: number): Promise<readonly Finding[]> {
  const backlogs = await readBacklogs(pool, log, nowMs);
  const deciding = await readDeciding(pool);
  const findings = backlogs.flatMap((one) => {
    const label = `${one.name}/${one.environment}`;
    const found: Finding[] = [];
    if (one.lagMs > lagMsMax) {
      const detail = `${label} is ${counted(one.behind, 'record')} behind, the oldest ${Math.round(one.lagMs / 1_000)} s old`;
      found.push(bad('engine', detail, mendOfLag(deciding, one.id)));
    }
    if (one.paused !== undefined) {
      const mend = `Fix the files, then: ringfence policy apply DIR -w ${label}; or go back: ringfence policy activate N -w ${label}`;
      found.push(bad('engine', `${label} is paused, events wait in the log: ${one.paused}`, mend));
    }
    if (one.quarantined > 0) {
      const detail = `${label}: ${counted(one.quarantined, 'record')} quarantined after the engine failed on each three times`;
      found.push(bad('engine', detail, 'The errors are in its log. This is a bug in Ringfence: please report them.'));
    }
    return found;
  });
  return findings.length === 0 ? [good('engine', 'every record is decided, none is quarantined')] : findings;
}

/** Who decides, as the database shows it. */
interface Deciding {
  /** Whether a process that decides gave a sign of life. */
  readonly isAnyone: boolean;
  /** Seconds since the last sign of life of a process that still holds its connection; `undefined` without one. */
  readonly silentSeconds: number | undefined;
  /** Workspaces of which something was decided in the last moments. */
  readonly moving: ReadonlySet<string>;
}

async function readDeciding(pool: Pool): Promise<Deciding> {
  const keepers = await pool.query<{ silent: number }>(
    `select extract(epoch from now() - k.heartbeat_at)::float8 as silent
       from partition_keeper k
       left join pg_stat_activity a on a.pid = k.backend_pid and a.backend_start <= k.since
      where a.pid is not null or k.heartbeat_at > now() - make_interval(secs => $1)
      order by 1 limit 1`,
    [signOfLifeSeconds],
  );
  const silentSeconds = keepers.rows[0]?.silent;
  const moved = await pool.query<{ id: string }>(
    `select workspace_id as id from engine_position where moved_at > now() - make_interval(secs => $1)`,
    [signOfLifeSeconds],
  );
  return {
    isAnyone: silentSeconds !== undefined && silentSeconds <= signOfLifeSeconds,
    silentSeconds,
    moving: new Set(moved.rows.map(({ id }) => id)),
  };
}

/** Heartbeats come every second; the dearest batch takes some seconds. */
const signOfLifeSeconds = 15;

function mendOfLag({ isAnyone, silentSeconds, moving }: Deciding, workspaceId: string): string {
  if (!isAnyone && silentSeconds !== undefined)
    return `The process that decides gave no sign of life for ${Math.round(silentSeconds)} s: it is stopped, or its machine has no processor time for it. Continue it, or move other work away.`;
  if (!isAnyone) return 'No process decides: start the service.';
  if (!moving.has(workspaceId)) return 'A process decides, but not this workspace: check its log.';
  return 'It is being decided, slower than its events arrive: send fewer, make its policy cheaper, or give the engine more cores (deciders) or this workspace a larger share (shares).';
}

export async function checkDeliveries(installation: OpenInstallation): Promise<readonly Finding[]> {
  const { deliveries } = installation;
  const findings: Finding[] = [];
  for (const { scope } of await deliveries.pauses()) {
    const which = scope.kind === 'all' ? 'all deliveries' : `deliveries of workspace ${scope.workspaceId}`;
    findings.push(unwise('deliveries', `${which} are paused`, 'ringfence deliveries resume'));
  }
  for (const workspace of await listWorkspaces(installation)) {
    const label = labelOf(workspace);
    const workspaceId = workspace.id;
    const trouble = await endpointTrouble(installation, workspace);
    if (trouble !== undefined) {
      const find = trouble.state === 'disabled' ? bad : unwise;
      findings.push(find('deliveries', trouble.detail, trouble.mend));
    }
    const dead = (await deliveries.list({ workspaceId, states: ['dead', 'expired'] }, actionsMax)).length;
    const capped = (await deliveries.list({ workspaceId, states: ['held'] }, actionsMax)).length;
    if (dead > 0) {
      const mend = `ringfence deliveries list -w ${label} --state dead; then: ringfence deliveries redeliver -w ${label} --state dead`;
      findings.push(unwise('deliveries', `${label}: ${atLeast(dead)} never arrived`, mend));
    }
    if (capped > 0) {
      const mend = `ringfence deliveries list -w ${label} --state capped; then release or drop them`;
      findings.push(unwise('deliveries', `${label}: ${atLeast(capped)} capped by a rule’s maxActions`, mend));
    }
  }
  return findings.length === 0 ? [good('deliveries', 'nothing is paused, capped or lost')] : findings;
}

function atLeast(count: number): string {
  return count >= actionsMax ? `${actionsMax} actions or more` : counted(count, 'action');
}

/** Sends every webhook a test action. */
export async function checkWebhooks(installation: OpenInstallation): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const workspace of await listWorkspaces(installation)) {
    if (workspace.settings.webhook === undefined) continue;
    const what = `webhook of ${labelOf(workspace)}`;
    try {
      const { verdict, problem, durationMs } = await sendTest(installation, workspace);
      findings.push(
        problem === undefined
          ? good(what, `${verdict} in ${Math.round(durationMs)} ms`)
          : bad(what, `${problem.reason}: ${problem.detail}`, problem.advice),
      );
    } catch (error) {
      findings.push(bad(what, error instanceof Error ? error.message : String(error), 'Fix this first.'));
    }
  }
  return findings;
}
