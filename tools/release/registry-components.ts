import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Component } from './component.ts';
import type { ProductionPackage } from './production-packages.ts';

/**
 * Packages of the registry as components, with the texts that came in them.
 *
 * @throws Error if another version is installed than the lock file names, or one came without its licence
 */
export function registryComponents(
  root: string,
  packages: readonly ProductionPackage[],
): readonly (Component & { readonly folder: string })[] {
  for (const { folder, version } of packages) {
    const installed = manifestOf(join(root, folder)).version;
    if (installed !== version) throw new Error(`${folder} is ${installed}, and locked is ${version}: run "npm ci"`);
  }
  const purlOf = new Map(packages.map(({ folder, name, version }) => [folder, npmPurl(name, version)]));
  return packages.map(({ folder, name, version, licence, integrity, needs }) => ({
    folder,
    kind: 'library' as const,
    name,
    version,
    licence,
    texts: licenceTexts(join(root, folder), licence),
    purl: npmPurl(name, version),
    sha512: integrity.replace(/^sha512-/, ''),
    needs: needs.map((needed) => purlOf.get(needed) ?? '').filter((purl) => purl !== ''),
  }));
}

export function npmPurl(name: string, version: string): string {
  return `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;
}

/**
 * Licences and notices in a package's folder; else the licence in its README; else, for MIT, the licence's text under the
 * name of the author.
 *
 * @throws Error if there is no text at all
 */
function licenceTexts(folder: string, licence: string): readonly string[] {
  const files = readdirSync(folder)
    .filter((name) => /^(?:licen[cs]es?|notice|copying|unlicense)(?:[.-](?!.*\.m?js$)|$)/i.test(name))
    .flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? readdirSync(path).map((inner) => join(path, inner)) : [path];
    })
    .toSorted();
  if (files.length > 0) return files.map((file) => readFileSync(file, 'utf8'));
  const inReadme = readmeLicence(folder);
  if (inReadme?.includes('Permission is hereby granted') === true) return [inReadme];
  if (licence !== 'MIT') throw new Error(`${folder}: there is no text of its licence, ${licence}`);
  const standard = readFileSync(join(import.meta.dirname, 'notices/mit.txt'), 'utf8');
  return [`Copyright (c) ${authorOf(folder)}\n\n${standard}`];
}

function readmeLicence(folder: string): string | undefined {
  const name = readdirSync(folder).find((entry) => /^readme(?:\.md)?$/i.test(entry));
  if (name === undefined) return undefined;
  const [, section] =
    /^#+\s+licen[cs]e\s*$([\s\S]*?)(?=^#|$(?![\s\S]))/im.exec(readFileSync(join(folder, name), 'utf8')) ?? [];
  return section?.trim();
}

function authorOf(folder: string): string {
  const { author } = manifestOf(folder);
  return (typeof author === 'string' ? author : author?.name) ?? 'its authors';
}

function manifestOf(folder: string): {
  readonly version: string;
  readonly author?: string | { readonly name: string };
} {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as ReturnType<typeof manifestOf>;
}

/** Whether a package is installed in this checkout. */
export function isInstalled(root: string): (folder: string) => boolean {
  return (folder) => existsSync(join(root, folder, 'package.json'));
}
