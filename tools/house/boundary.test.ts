/** Import directions. Each rule is shown a violation first: a rule that cannot fail checks nothing. */
import { describe, expect, it } from 'vitest';
import { importsOf } from './imports.ts';
import { type Room, roomOf, rooms } from './rooms.ts';
import { boundaryFindings, cycleFindings, folderOrderFindings } from './rules/boundary.ts';
import { directions, serverFolders } from './rules/directions.ts';
import { sourceFile, sourceFiles } from './source-file.ts';

const files = sourceFiles();
const all = rooms();

describe('the repository', () => {
  it('imports only declared packages, in the allowed directions, through their exports', () => {
    expect(files.flatMap((file) => boundaryFindings(file, all))).toEqual([]);
  });

  it('has no import cycle', () => {
    expect(cycleFindings(files)).toEqual([]);
  });

  it('imports between the folders of the server in their order', () => {
    expect(folderOrderFindings(files, 'apps/server/src', serverFolders)).toEqual([]);
  });

  it('has a direction for every workspace', () => {
    expect(all.map(({ folder }) => folder).filter((folder) => directions[folder] === undefined)).toEqual([]);
  });

  it('is parsed: every workspace with code has imports', () => {
    const importing = files.filter((file) => importsOf(file).length > 0).map(({ path }) => roomOf(path, all).folder);
    expect(new Set(importing).size).toBeGreaterThanOrEqual(8);
  });
});

describe('a violation is found', () => {
  const street: readonly Room[] = [
    { folder: '', manifest: { name: 'street', devDependencies: { vitest: '5.1.1' } } },
    { folder: 'packages/contract', manifest: { name: '@ringfence/contract', exports: { '.': './src/index.ts' } } },
    { folder: 'packages/log', manifest: { name: '@ringfence/log', exports: { '.': './src/index.ts' } } },
    {
      folder: 'packages/engine',
      manifest: {
        name: '@ringfence/engine',
        dependencies: { '@ringfence/contract': '0.1.0', '@ringfence/log': '0.1.0' },
        devDependencies: { standardwebhooks: '1.1.1' },
      },
    },
  ];
  const found = (path: string, text: string): readonly string[] => boundaryFindings(sourceFile(path, text), street);

  it.each([
    ['of an undeclared package', "import pg from 'pg';"],
    ['of a package declared for tests only', "import { Webhook } from 'standardwebhooks';"],
    ['of a tool of the whole house', "import { it } from 'vitest';"],
    ['of a package that it must not know', "import type { LogHead } from '@ringfence/log';"],
    ['behind the exports', "import { unreachable } from '@ringfence/contract/src/assert.ts';"],
    ["of another room's file", "export { unreachable } from '../../contract/src/assert.ts';"],
    ['of its own index', "import { step } from './index.ts';"],
    ['of itself by name', "import { step } from '@ringfence/engine';"],
    ['without the ending', "import { step } from './step';"],
    ['in a type', "type Head = import('pg').Client;"],
    ['at run time', "const pg = import('pg');"],
  ])('import %s', (_, text) => {
    expect(found('packages/engine/src/step.ts', text)).toHaveLength(1);
  });

  it('lets a test import development dependencies', () => {
    const imports = "import { it } from 'vitest'; import { Webhook } from 'standardwebhooks';";
    expect(found('packages/engine/test/step.test.ts', imports)).toEqual([]);
  });

  it('lets a test import the test kit, but nothing else of another workspace', () => {
    const kit = "import { freshDatabase } from '../../../tools/testing/postgres.ts';";
    expect(found('packages/engine/test/step.test.ts', kit)).toEqual([]);
    expect(found('packages/engine/src/step.ts', kit)).toHaveLength(1);
  });

  it('lets code import what is declared', () => {
    expect(found('packages/engine/src/step.ts', "import { assert } from '@ringfence/contract';")).toEqual([]);
  });

  it.each(['import', 'import type'])('cycle of two by %s', (word) => {
    const circle = [
      sourceFile('packages/log/src/a.ts', `${word} { b } from './b.ts';`),
      sourceFile('packages/log/src/b.ts', `${word} { a } from './a.ts';`),
    ];
    expect(cycleFindings(circle)).toEqual(['packages/log/src/a.ts -> packages/log/src/b.ts -> packages/log/src/a.ts']);
  });

  it('import of a folder that comes later in the order, or of a file beside the folders', () => {
    const source = 'apps/server/src';
    const low = sourceFile(`${source}/records/find.ts`, '');
    const high = sourceFile(`${source}/decide/stepper.ts`, "import { find } from '../records/find.ts';");
    const beside = sourceFile(`${source}/service.ts`, "import { step } from './decide/stepper.ts';");
    const found = (folder: string, specifier: string): readonly string[] => {
      const file = sourceFile(`${source}/${folder}/x.ts`, `import type { X } from '${specifier}';`);
      return folderOrderFindings([low, high, beside, file], source, ['records', 'decide', 'cli']);
    };
    expect(found('cli', '../service.ts')).toEqual([]);
    expect(found('decide', '../records/find.ts')).toEqual([]);
    expect(found('records', '../decide/stepper.ts')).toHaveLength(1);
    expect(found('decide', '../service.ts')).toHaveLength(1);
    expect(found('attic', '../records/find.ts')).toHaveLength(1);
  });
});
