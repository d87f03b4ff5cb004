import type { Item } from '../document/item.ts';
import { nearest } from '../check/nearest.ts';
import type { PolicyPack, Rule } from '../policy.ts';

export const packBounds = { packs: 50, nameLength: 64, textLength: 2_000, versionMax: 1_000_000 } as const;
const modes: readonly Rule['mode'][] = ['live', 'shadow', 'off'];

/** A pack as the policy uses it. */
export interface UsedPack extends PolicyPack {
  /** The initial mode of its rules, unless one is overridden; if absent, as the pack declares. */
  readonly mode: Rule['mode'] | undefined;
}

/** The packs among the files, by the path of their file. Reports names in `use` that don't exist. */
export function readPacks(
  packs: readonly Item[],
  uses: readonly Item[],
  names: readonly string[],
): ReadonlyMap<string, UsedPack> {
  const wanted = uses
    .flatMap((use) => use.list('use', packBounds.packs) ?? [])
    .map((item) => ({ item, use: readUse(item) }));
  const byName = new Map<string, UsedPack>();
  for (const item of packs) {
    const pack = readPack(item);
    if (pack === undefined) continue;
    if (byName.has(pack.name)) item.fail(`there are two packs ${pack.name}`, 'one of them');
    const use = wanted.find((one) => one.use?.name === pack.name)?.use;
    byName.set(pack.name, { ...pack, mode: use?.mode });
  }
  for (const { item, use } of wanted) {
    if (use === undefined || byName.has(use.name)) continue;
    item.fail(
      `there is no pack ${use.name}`,
      nearest(use.name, [...byName.keys(), ...names]) ?? 'ringfence policy pack list',
    );
  }
  return new Map([...byName.values()].map((pack) => [pack.file, pack]));
}

/** `account-takeover`, or `{ pack: account-takeover, mode: shadow }`. */
export function readUse(item: Item): { readonly name: string; readonly mode: Rule['mode'] | undefined } | undefined {
  if (!item.isMapping) {
    const name = item.text('the name of a pack', packBounds.nameLength);
    return name === undefined ? undefined : { name, mode: undefined };
  }
  const fields = item.fields('the use of a pack', ['pack', 'mode']);
  const name = item.required(fields?.pack, ['use does not name a pack', '{ pack: account-takeover }'], (field) =>
    field.text('the name of a pack', packBounds.nameLength),
  );
  const mode = fields?.mode?.choice('mode', modes);
  return name === undefined ? undefined : { name, mode };
}

function readPack(item: Item): PolicyPack | undefined {
  const fields = item.fields('a pack', ['name', 'version', 'title', 'description']);
  if (fields === undefined) return undefined;
  const name = item.required(fields.name, ['the pack has no name', 'name: account-takeover'], (field) =>
    field.text('name', packBounds.nameLength),
  );
  const version = item.required(fields.version, ['the pack has no version', 'version: 1'], (field) =>
    field.integer('version', { min: 1, max: packBounds.versionMax }),
  );
  const title = item.required(fields.title, ['the pack has no title', 'title: Account takeover'], (field) =>
    field.text('title', packBounds.textLength),
  );
  const description = item.required(fields.description, ['the pack has no description', 'what it is for'], (field) =>
    field.text('description', packBounds.textLength),
  );
  if (name === undefined || version === undefined || title === undefined || description === undefined) return undefined;
  if (!/^[a-z][a-z0-9-]*$/.test(name))
    return item.fail(`${name} can't be the name of a pack`, 'small letters, digits and hyphens');
  return { name, version, title, description, file: item.file.path };
}
