import { dirname, join } from 'node:path/posix';
import { importsOf } from '../imports.ts';
import { declared, type Room, roomOf } from '../rooms.ts';
import { type Finding, finding, type SourceFile } from '../source-file.ts';
import { directions, sideDoors } from './directions.ts';

const tests = /\/(?:test|conformance)\/|\.test\.ts$/;
/** Workspaces that never run in production: they may import development dependencies. */
const workshops = new Set(['', 'bench', 'e2e']);
/**
 * Helpers that tests of every workspace share: a PostgreSQL of the run. They are not a package, because they need the
 * server's code.
 */
const testKit = 'tools/testing/';

/** Imports that are undeclared, point in the wrong direction, or bypass a package's exports. */
export function boundaryFindings(file: SourceFile, all: readonly Room[]): readonly Finding[] {
  const room = roomOf(file.path, all);
  return importsOf(file).flatMap(({ specifier, at }) => {
    const complaint = specifier.startsWith('.')
      ? insideComplaint(file, room, specifier)
      : specifier.startsWith('node:')
        ? undefined
        : packageComplaint({ file, room, specifier, all });
    return complaint === undefined ? [] : [finding(file, at, complaint)];
  });
}

function insideComplaint(file: SourceFile, room: Room, specifier: string): string | undefined {
  const target = join(dirname(file.path), specifier);
  if (sideDoors[file.path]?.includes(target) === true) return undefined;
  if (target.startsWith(testKit) && (tests.test(file.path) || workshops.has(room.folder))) return undefined;
  const inRoom = room.folder === '' ? !target.startsWith('..') : target.startsWith(`${room.folder}/`);
  if (!inRoom) return `${specifier} leaves ${room.folder}: import the package by its name`;
  if (/(?:^|\/)index\.tsx?$/.test(specifier)) return `${specifier}: import the file that defines it, not index.ts`;
  if (!/\.(?:ts|tsx|js|mjs|json|css)$/.test(specifier)) return `${specifier}: write the file extension`;
  return undefined;
}

interface PackageImport {
  readonly file: SourceFile;
  readonly room: Room;
  readonly specifier: string;
  readonly all: readonly Room[];
}

function packageComplaint({ file, room, specifier, all }: PackageImport): string | undefined {
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  if (name === room.manifest.name) return `${specifier}: inside a package import the file`;
  if (!mayDeclare(file, room, all).has(name)) {
    return `${name} is not a declared dependency of ${room.folder || 'the root'}`;
  }
  const target = all.find(({ manifest }) => manifest.name === name);
  if (target === undefined) return undefined;
  if (!(directions[room.folder] ?? []).includes(name)) return `${room.folder} must not import ${name}`;
  const entry = `.${specifier.slice(name.length)}`;
  if (!Object.keys(target.manifest.exports ?? {}).includes(entry))
    return `${specifier} is not among the exports of ${name}`;
  return undefined;
}

/**
 * Tests and workspaces for development may also import the development dependencies of their workspace and of the root.
 */
function mayDeclare(file: SourceFile, room: Room, all: readonly Room[]): ReadonlySet<string> {
  const forDevelopment = tests.test(file.path) || workshops.has(room.folder);
  const house = all.find(({ folder }) => folder === '');
  const shared = forDevelopment ? Object.keys(house?.manifest.devDependencies ?? {}) : [];
  return new Set([...declared(room.manifest, forDevelopment), ...shared]);
}

/** Import cycles within the workspaces, each written once, as `a.ts -> b.ts -> a.ts`. Type imports count too. */
export function cycleFindings(files: readonly SourceFile[]): readonly Finding[] {
  return circles(importedFiles(files));
}

/**
 * Imports between the folders directly below `source` that violate their order: a folder imports only those before it.
 * Files beside the folders compose them and may import all; the last folder, the command line, starts them.
 *
 * @param order every folder below `source`, the lowest first
 */
export function folderOrderFindings(
  files: readonly SourceFile[],
  source: string,
  order: readonly string[],
): readonly Finding[] {
  const inside = importedFiles(files.filter(({ path }) => path.startsWith(`${source}/`)));
  const found: string[] = [];
  for (const [path, targets] of inside) {
    const from = folderOf(path, source);
    if (from === undefined) continue;
    if (!order.includes(from)) {
      found.push(`${path}: ${from} has no place in the order of folders`);
      continue;
    }
    for (const target of targets) {
      const to = folderOf(target, source);
      const isAllowed = to === undefined ? from === order.at(-1) : order.indexOf(to) <= order.indexOf(from);
      if (!isAllowed) found.push(`${path} must not import ${target}`);
    }
  }
  return found;
}

/** The folder directly below `source`; `undefined` for a file beside them. */
function folderOf(path: string, source: string): string | undefined {
  const [folder, ...rest] = path.slice(source.length + 1).split('/');
  return rest.length === 0 ? undefined : folder;
}

/** For each path, the files that it imports. */
function importedFiles(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const known = new Set(files.map(({ path }) => path));
  return new Map(
    files.map((file) => [
      file.path,
      importsOf(file)
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => join(dirname(file.path), specifier))
        .filter((path) => known.has(path)),
    ]),
  );
}

function circles(edges: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (name: string, trail: readonly string[]): void => {
    if (trail.includes(name)) found.push([...trail.slice(trail.indexOf(name)), name].join(' -> '));
    if (done.has(name)) return;
    done.add(name);
    for (const next of edges.get(name) ?? []) walk(next, [...trail, name]);
  };
  for (const name of edges.keys()) walk(name, []);
  return found;
}
