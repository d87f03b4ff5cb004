import { dirname, join } from 'node:path/posix';
import { importsOf } from '../imports.ts';
import { declared, type Room, roomOf } from '../rooms.ts';
import { type Finding, finding, type SourceFile } from '../source-file.ts';
import { directions, sideDoors } from './directions.ts';

const tests = /\/(?:test|conformance)\/|\.test\.ts$/;
/** Rooms that never run in production: everything they import may be declared for development. */
const workshops = new Set(['', 'bench', 'e2e']);
/** What tests of every room share: a PostgreSQL of the run. It is no package, because it needs the server's code. */
const testKit = 'tools/testing/';

/** Imports of a file that its room has not declared, that point the wrong way, or that go in by a side door. */
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
  if (/(?:^|\/)index\.tsx?$/.test(specifier)) return `${specifier}: import the file that has it, not the list`;
  if (!/\.(?:ts|tsx|js|mjs|json|css)$/.test(specifier)) return `${specifier}: write the file's ending`;
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
  if (!(directions[room.folder] ?? []).includes(name)) return `${room.folder} must not know ${name}`;
  const door = `.${specifier.slice(name.length)}`;
  if (!Object.keys(target.manifest.exports ?? {}).includes(door))
    return `${specifier} is not among the exports of ${name}`;
  return undefined;
}

/** Tests and workshops may also use what is there for development, in their room or for the whole house. */
function mayDeclare(file: SourceFile, room: Room, all: readonly Room[]): ReadonlySet<string> {
  const forDevelopment = tests.test(file.path) || workshops.has(room.folder);
  const house = all.find(({ folder }) => folder === '');
  const shared = forDevelopment ? Object.keys(house?.manifest.devDependencies ?? {}) : [];
  return new Set([...declared(room.manifest, forDevelopment), ...shared]);
}

/** Circles of imports within the rooms, each written once, as `a.ts -> b.ts -> a.ts`. Types count as well. */
export function cycleFindings(files: readonly SourceFile[]): readonly Finding[] {
  const known = new Set(files.map(({ path }) => path));
  const edges = new Map(
    files.map((file) => [
      file.path,
      importsOf(file)
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => join(dirname(file.path), specifier))
        .filter((path) => known.has(path)),
    ]),
  );
  const findings: Finding[] = [];
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) findings.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
    if (done.has(path)) return;
    done.add(path);
    for (const next of edges.get(path) ?? []) walk(next, [...trail, path]);
  };
  for (const path of edges.keys()) walk(path, []);
  return findings;
}
