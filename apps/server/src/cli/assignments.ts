import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { WrittenScalar } from '../platform/shapes/written-scalar.ts';
import { mergePatch } from '../tenancy/workspaces/merge-patch.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { UsageError } from './cli-io.ts';

/** The changes that `name=value` arguments request. */
export interface Assignments {
  /** A merge patch for the settings; `undefined` if no setting changes. */
  readonly settings: unknown;
  /** All channels after the change; `undefined` if no channel changes. */
  readonly channels: readonly unknown[] | undefined;
}

/**
 * Reads arguments like `timezone=Asia/Tokyo`, `webhook.url=https://…`, `webhook.caPem=@ca.pem` (a file), `webhook.proxy=`
 * (restores the default), `deviceOrigins=https://…,https://…` (a list), `channel.1="Mobile app"`,
 * `channel.1.idleMinutes=10`, `channel.1=` (removes the channel). The values are validated later, with the settings.
 *
 * @throws UsageError
 */
export function parseAssignments(
  args: readonly string[],
  present: Pick<Workspace, 'channels'> & { readonly settings?: unknown },
  folder: string,
): Assignments {
  const channels = new Map<string, unknown>(
    [...present.channels.values()].map((channel) => [String(channel.id), { ...channel }]),
  );
  let settings: unknown;
  let hasChannels = false;
  for (const arg of args) {
    const at = arg.indexOf('=');
    if (at < 1)
      throw new UsageError(`"${arg}" is not an assignment: expected name=value, for example timezone=Asia/Tokyo`);
    const path = arg.slice(0, at).split('.');
    const text = arg.slice(at + 1);
    const value = listSettings.has(path[0]!) ? listOf(text) : valueOf(text, folder);
    if (path[0] === 'channel') {
      assignChannel(channels, path, value);
      hasChannels = true;
    } else {
      settings = mergeInto(settings ?? {}, path, value);
    }
  }
  settings = withoutEmptied(settings, present.settings);
  return { settings, channels: hasChannels ? [...channels.values()] : undefined };
}

/** Settings that are lists of strings: `deviceOrigins=https://bank.example,android:com.bank.app`. */
const listSettings: ReadonlySet<string> = new Set(['deviceOrigins']);

function listOf(text: string): unknown {
  if (text === '') return null;
  return text.split(',').map((part) => new WrittenScalar(part.trim(), part.trim(), 'argument'));
}

/** `null` for an empty value, the file's text for `@file`, otherwise a scalar that the schema converts to its type. */
function valueOf(text: string, folder: string): unknown {
  if (text === '') return null;
  if (!text.startsWith('@')) return new WrittenScalar(text, text, 'argument');
  try {
    return readFileSync(resolve(folder, text.slice(1)), 'utf8');
  } catch (cause) {
    throw new UsageError(`${text.slice(1)} cannot be read: ${(cause as Error).message}`);
  }
}

/** Adds a value to a merge patch, at a path. Null stays in the patch: it removes the member. */
function mergeInto(patch: unknown, path: readonly string[], value: unknown): unknown {
  const [first, ...rest] = path;
  const members = patch as Readonly<Record<string, unknown>>;
  const inner = rest.length === 0 ? value : mergeInto(plain(members[first!]), rest, value);
  return { ...members, [first!]: inner };
}

/** The patch, in which an object that would lose its last member is removed as a whole, such as `rateLimit`. */
function withoutEmptied(patch: unknown, present: unknown): unknown {
  const members = Object.entries(plain(patch));
  if (members.length === 0) return patch;
  const cleared = members.map(([name, value]) => {
    const before = (plain(present) as Readonly<Record<string, unknown>>)[name];
    const inner = withoutEmptied(value, before);
    const isEmptied = isMapping(inner) && Object.keys(mergePatch(before, inner) as object).length === 0;
    return [name, isEmptied ? null : inner] as const;
  });
  return Object.fromEntries(cleared);
}

function plain(value: unknown): object {
  return isMapping(value) ? value : {};
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenScalar);
}

function assignChannel(channels: Map<string, unknown>, path: readonly string[], value: unknown): void {
  const [, id, member = 'name', ...rest] = path;
  if (id === undefined || !/^\d+$/.test(id) || rest.length > 0) {
    throw new UsageError(`"${path.join('.')}" is not a channel: expected channel.NUMBER or channel.NUMBER.member`);
  }
  if (path.length === 2 && value === null) channels.delete(id);
  else channels.set(id, mergePatch(channels.get(id) ?? { id: Number(id) }, { [member]: value }));
}
