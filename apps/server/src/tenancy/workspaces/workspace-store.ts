import type { CellPlace } from '../../platform/database/cell.ts';
import { errorsMax, type FieldError, pointerOf, Problem } from '@ringfence/contract';
import type { ClientBase } from 'pg';
import { check, type Mistake } from '../../platform/shapes/check.ts';
import { exactly } from '../../platform/shapes/shape.ts';
import {
  countWorkspaces,
  isNameTaken,
  lockNames,
  nameTaken,
  releaseName,
  reserveName,
} from '../cells/workspace-places.ts';
import { randomId } from '../../platform/secrets/random-id.ts';
import { addLicenseKey, type NewLicenseKey } from './license-keys.ts';
import { syncSettings } from './settings-sync.ts';
import { mergePatch } from './merge-patch.ts';
import { environmentShape, nameShape } from './settings-shape.ts';
import { parseDefinition, type WebhookRules, type WorkspaceDefinition } from './settings.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { WorkspaceDeps } from './workspace-deps.ts';
import { openWorkspace, readStored, writeChannels } from './workspace-rows.ts';
import { importPepper, makeSecrets, putPrivateSettings, splitSettings } from './workspace-secrets.ts';
import type { Channel, Environment, Owner, Workspace } from './workspace.ts';

const workspaceIdLength = 8;
const byApi: Workspace['owners'] = { settings: 'api', keys: 'api', policy: 'api' };

/** The most workspaces of one installation: every process keeps all in memory and reloads them at a change. */
export const workspacesMax = 1_000;

export interface NewWorkspace {
  readonly name: string;
  readonly environment: Environment;
  /** Absent: everything is changed through the API and commands. */
  readonly owners?: Workspace['owners'];
  /** Settings and channels from outside, not validated. If absent: all defaults, and nothing is sent. */
  readonly settings?: unknown;
  readonly channels?: unknown;
  /** Existing license keys, the first of which is sent; if absent, a key is generated. */
  readonly licenseKeys?: readonly string[];
}

export interface MadeWorkspace {
  readonly workspace: Workspace;
  /** Shown once; only their hashes and encrypted copies are stored. */
  readonly keys: readonly NewLicenseKey[];
}

/**
 * Creates a workspace with its secrets, license keys and log partition, and appends its settings to the log.
 *
 * @throws Problem `request.invalid` with every invalid member; `state.conflict` if name and environment are taken
 */
export async function createWorkspace(deps: WorkspaceDeps, wanted: NewWorkspace): Promise<MadeWorkspace> {
  refuse(mistakesIn({ name: wanted.name, environment: wanted.environment }));
  const definition = parsed(rulesOf(deps, wanted), {
    settings: wanted.settings ?? {},
    channels: wanted.channels ?? [],
  });
  const id = randomId(workspaceIdLength);
  if (deps.cell !== undefined) await reserve(deps, deps.cell, { ...wanted, id, max: workspacesMax });
  const made = makeWorkspace(deps, { id, wanted, definition });
  const keys = await made.catch(async (error: unknown) => {
    if (deps.cell !== undefined) await releaseName(deps.cell, id);
    throw error;
  });
  await syncSettings(deps, id);
  return { workspace: await readWorkspace(deps, id), keys };
}

function reserve(
  { pool }: WorkspaceDeps,
  cell: CellPlace,
  wanted: Pick<Workspace, 'id' | 'name' | 'environment'> & { readonly max?: number },
): Promise<void> {
  const isThere = async (one: string): Promise<boolean> =>
    (await pool.query(`select from workspace where id = $1`, [one])).rowCount === 1;
  return reserveName(cell, { ...wanted, isThere });
}

/** Writes all rows of a new workspace. @returns its keys */
function makeWorkspace(
  deps: WorkspaceDeps,
  of: { readonly id: string; readonly wanted: NewWorkspace; readonly definition: WorkspaceDefinition },
): Promise<readonly NewLicenseKey[]> {
  const { id, wanted, definition } = of;
  const { master, cell } = deps;
  return inTransaction(deps.pool, async (client) => {
    await insertWorkspace(client, id, { ...wanted, isHome: deps.cell === undefined });
    await makeSecrets(client, id, master);
    await writeDefinition({ deps, client, id }, definition);
    const made: NewLicenseKey[] = [];
    for (const text of wanted.licenseKeys ?? [undefined]) {
      made.push(await addLicenseKey(client, { workspaceId: id, environment: wanted.environment, text, master, cell }));
    }
    return made;
  });
}

async function insertWorkspace(
  client: ClientBase,
  id: string,
  wanted: NewWorkspace & { readonly isHome: boolean },
): Promise<void> {
  const { name, environment, owners = byApi } = wanted;
  if (wanted.isHome) {
    await lockNames(client);
    if ((await countWorkspaces(client)) >= workspacesMax) {
      throw new Problem('state.conflict', `An installation has at most ${workspacesMax} workspaces.`);
    }
    if (await isNameTaken(client, wanted, id)) throw nameTaken(wanted);
  }
  const inserted = await client.query(
    `insert into workspace (id, name, environment, settings_owner, keys_owner, policy_owner, settings)
     values ($1, $2, $3, $4, $5, $6, '{}') on conflict (name, environment) do nothing`,
    [id, name, environment, owners.settings, owners.keys, owners.policy],
  );
  if (inserted.rowCount === 0) throw nameTaken(wanted);
}

/** @throws Problem `thing.unknown` */
export async function readWorkspace(deps: Pick<WorkspaceDeps, 'pool' | 'master'>, id: string): Promise<Workspace> {
  const stored = (await readStored(deps.pool, id))[0];
  if (stored === undefined) throw unknownWorkspace(id);
  return openWorkspace(stored, deps.master);
}

function unknownWorkspace(id: string): Problem {
  return new Problem('thing.unknown', `There is no workspace "${id}".`);
}

/** All workspaces from the database, sorted by name. */
export async function listWorkspaces(deps: Pick<WorkspaceDeps, 'pool' | 'master'>): Promise<readonly Workspace[]> {
  return (await readStored(deps.pool)).map((stored) => openWorkspace(stored, deps.master));
}

export interface WorkspaceChange {
  readonly name?: string;
  /** JSON merge patch (RFC 7396): absent members stay unchanged, null restores the default. */
  readonly settings?: unknown;
  /** The new channels; others are removed. A function computes them from the present ones, under the lock. */
  readonly channels?: readonly unknown[] | ((present: readonly Channel[]) => readonly unknown[]) | undefined;
}

/**
 * Changes a workspace on behalf of `actor`, and appends changed engine settings to the log.
 *
 * @throws Problem `owner.config` if the file owns it, `request.invalid` with every invalid member, `thing.unknown`,
 *   `state.conflict`, `log.unavailable` (the change is stored and appended later)
 */
export async function updateWorkspace(
  deps: WorkspaceDeps,
  id: string,
  change: WorkspaceChange & { readonly actor: Owner },
): Promise<Workspace> {
  await inTransaction(deps.pool, async (client) => {
    const present = await lockWorkspace(client, id, deps);
    mayChange(present, 'settings', change.actor);
    const definition = parsed(rulesOf(deps, { ...present, name: change.name ?? present.name }), {
      settings: mergePatch(present.settings, change.settings ?? {}),
      channels: channelsAfter(present, change.channels),
    });
    await writeDefinition({ deps, client, id }, definition);
    if (change.name !== undefined && change.name !== present.name) {
      await rename({ deps, client }, present, change.name);
    }
  });
  await syncSettings(deps, id);
  return readWorkspace(deps, id);
}

function channelsAfter({ channels }: Workspace, change: WorkspaceChange['channels']): readonly unknown[] {
  const present = [...channels.values()];
  return typeof change === 'function' ? change(present) : (change ?? present);
}

async function rename(
  { deps, client }: { readonly deps: WorkspaceDeps; readonly client: ClientBase },
  present: Workspace,
  name: string,
): Promise<void> {
  const { id, environment } = present;
  refuse(mistakesIn({ name, environment }));
  if (deps.cell !== undefined) await reserve(deps, deps.cell, { id, name, environment });
  else if (await isNameTaken(client, { name, environment }, id)) throw nameTaken({ name, environment });
  await client.query(`update workspace set name = $2 where id = $1`, [present.id, name]);
}

/** Reads a workspace and locks it against other changes until the transaction ends. @throws Problem `thing.unknown` */
export async function lockWorkspace(
  client: ClientBase,
  id: string,
  deps: Pick<WorkspaceDeps, 'master'>,
): Promise<Workspace> {
  await client.query(`select id from workspace where id = $1 for update`, [id]);
  const stored = (await readStored(client, id))[0];
  if (stored === undefined) throw unknownWorkspace(id);
  return openWorkspace(stored, deps.master);
}

/** @throws Problem `owner.config` if the file owns that part and `actor` is not the file */
export function mayChange(workspace: Workspace, part: keyof Workspace['owners'], actor: Owner): void {
  if (workspace.owners[part] === actor || actor === 'config') return;
  throw new Problem(
    'owner.config',
    `The ${part} of workspace "${workspace.name}" (${workspace.environment}) are declared in the configuration file.`,
  );
}

/** Writes validated settings and channels. */
export async function writeDefinition(
  at: { readonly deps: Pick<WorkspaceDeps, 'master'>; readonly client: ClientBase; readonly id: string },
  definition: WorkspaceDefinition,
): Promise<void> {
  const { client, id } = at;
  const split = splitSettings(definition.settings);
  await client.query(`update workspace set settings = $2, changed_at = now() where id = $1`, [
    id,
    JSON.stringify(split.plain),
  ]);
  await putPrivateSettings(client, { workspaceId: id, settings: split.private, master: at.deps.master });
  await writeChannels(client, id, definition.channels);
}

function rulesOf(deps: WorkspaceDeps, { name, environment }: Omit<WebhookRules, 'allow'>): WebhookRules {
  return { name, environment, allow: deps.allowPrivateWebhooks };
}

function parsed(rules: WebhookRules, value: { settings: unknown; channels: unknown }): WorkspaceDefinition {
  const result = parseDefinition(rules, value);
  if (result.ok) return result.definition;
  throw refusal(result.mistakes);
}

const labelShape = exactly({ name: nameShape, environment: environmentShape });

function mistakesIn(label: { readonly name: string; readonly environment: string }): readonly Mistake[] {
  const checked = check(labelShape, label);
  return checked.ok ? [] : checked.mistakes;
}

function refuse(mistakes: readonly Mistake[]): void {
  if (mistakes.length > 0) throw refusal(mistakes);
}

function refusal(all: readonly Mistake[]): Problem {
  const mistakes = all.slice(0, errorsMax);
  const detail = mistakes.map(({ message }) => message).join('; ');
  return new Problem('request.invalid', detail, { errors: mistakes.map(fieldError) });
}

/** A mistake as a field error of a problem; the pointer of a missing member is where it should be. */
export function fieldError({ path, missing, message, expected }: Mistake): FieldError {
  return { pointer: pointerOf(missing === undefined ? path : [...path, missing]), detail: message, expected };
}

/** The pepper, with which the bank can compute `client` itself. Keep it secret: with it, hashes can be reversed. */
export async function exportPepper(deps: Pick<WorkspaceDeps, 'pool' | 'master'>, id: string): Promise<Buffer> {
  return (await readWorkspace(deps, id)).secrets.pepper;
}

/** @throws Problem `request.invalid` unless it has 32 to 128 bytes, `thing.unknown` */
export async function replacePepper(deps: WorkspaceDeps, id: string, pepper: Buffer): Promise<void> {
  await inTransaction(deps.pool, async (client) => {
    await lockWorkspace(client, id, deps);
    await importPepper(client, { workspaceId: id, pepper, master: deps.master });
  });
}
