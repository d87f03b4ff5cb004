import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import type { Contents } from './components.ts';
import { git } from './git.ts';

/** Of our own files, those that production needs, and what people read who run it. */
const ownFiles = [
  /^(?:LICENSE|README\.md|CHANGELOG\.md|SECURITY\.md|package\.json)$/,
  /^(?:deploy|docs)\//,
  /^apps\/server\/(?:(?:bin|src|policies)\/|package\.json$)/,
  /^packages\/[a-z]+\/(?:(?:src|data)\/|package\.json$)/,
];
/** Of Node's package: not its headers and manuals. */
const nodeFiles = ['bin/node', 'LICENSE', 'package.json'];
/** Of PostgreSQL's package, what only serves to build other programs. */
const buildsPrograms = /\/native\/lib\/(?:[^/]+\.a|pkgconfig|postgresql\/pgxs)$/;

/** Runs the bundle's own Node, from any folder and through any link. */
const launcher = `#!/bin/sh
here=$(dirname -- "$(readlink -f -- "$0")")
exec "$here/node_modules/.bin/node" "$here/apps/server/bin/ringfence.js" "$@"
`;

/**
 * Lays out the bundle: the checkout as it would be without development tools, with the pages of the console, PostgreSQL
 * and Node. It is run where it is unpacked; nothing is installed.
 */
export function stageBundle(root: string, bundle: string, contents: Contents): void {
  stageOwnFiles(root, bundle);
  for (const { folder } of contents.packages) {
    if (folder !== contents.nodePackage) stagePackage(root, bundle, folder);
  }
  for (const file of nodeFiles) copy(root, bundle, join(contents.nodePackage, file));
  linkLibraries(join(bundle, contents.postgresPackage, 'native'));
  link(bundle, 'node_modules/.bin/node', join(contents.nodePackage, 'bin/node'));
  link(bundle, 'node_modules/.bin/ringfence', 'apps/server/bin/ringfence.js');
  writeFileSync(join(bundle, 'ringfence'), launcher, { mode: 0o755 });
}

/** Committed files, and with changes those of the checkout; never what git ignores. */
function stageOwnFiles(root: string, bundle: string): void {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'apps/server/package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const rooms = Object.keys(dependencies).flatMap((name) => /^@ringfence\/(.+)/.exec(name)?.[1] ?? []);
  const listed = git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard');
  for (const path of listed.split('\0')) {
    const room = /^packages\/([a-z]+)\//.exec(path)?.[1];
    const isNeeded = room === undefined || rooms.includes(room);
    if (isNeeded && ownFiles.some((pattern) => pattern.test(path)) && existsSync(join(root, path)))
      copy(root, bundle, path);
  }
  for (const room of rooms) link(bundle, `node_modules/@ringfence/${room}`, `packages/${room}`);
}

/** Packages inside it are staged by themselves. */
function stagePackage(root: string, bundle: string, folder: string): void {
  const source = join(root, folder);
  cpSync(source, join(bundle, folder), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => path !== join(source, 'node_modules') && !buildsPrograms.test(path),
  });
}

/** With the links that its install script would make, PostgreSQL runs in place. */
function linkLibraries(native: string): void {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(dirname(native), target);
    if (extname(source) === '.a') continue;
    rmSync(path, { force: true });
    symlinkSync(basename(source), path);
  }
}

function copy(root: string, bundle: string, path: string): void {
  mkdirSync(dirname(join(bundle, path)), { recursive: true });
  cpSync(join(root, path), join(bundle, path));
}

function link(bundle: string, path: string, target: string): void {
  mkdirSync(dirname(join(bundle, path)), { recursive: true });
  symlinkSync(relative(dirname(path), target), join(bundle, path));
}
