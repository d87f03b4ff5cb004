import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { loadPolicy, type Policy } from '@ringfence/policy';

/** The folder of the packs that come with Ringfence, one file each. */
const folder = new URL('../../policies/packs/', import.meta.url);

/** Names of the packs that come with Ringfence, in alphabetical order. */
export function packNames(): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .sort();
}

/** The text of a pack; `undefined` if there is no pack of this name. */
export function packText(name: string): string | undefined {
  const file = new URL(`${name}.yaml`, folder);
  return /^[a-z][a-z0-9-]*$/.test(name) && existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** A pack with its default parameters; `undefined` if there is no pack of this name. */
export function loadPack(name: string): Policy | undefined {
  const text = packText(name);
  if (text === undefined) return undefined;
  const loaded = loadPolicy([{ path: `packs/${name}.yaml`, text }]);
  if (loaded.ok) return loaded.policy;
  throw new Error(`the pack ${name} is invalid: ${loaded.errors[0]?.message ?? ''}`);
}
