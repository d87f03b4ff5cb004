/** Who imports whom. Each rule is shown a breach first: a rule that can't fail guards nothing. */
import { describe, expect, it } from 'vitest';
import { importsOf } from './imports.ts';
import { type Room, roomOf, rooms } from './rooms.ts';
import { boundaryFindings, cycleFindings, folderCycleFindings } from './rules/boundary.ts';
import { directions } from './rules/directions.ts';
import { sourceFile, sourceFiles } from './source-file.ts';

const files = sourceFiles();
const all = rooms();

describe('the house', () => {
  it('imports only what its rooms declare, in the allowed directions, through the exports', () => {
    expect(files.flatMap((file) => boundaryFindings(file, all))).toEqual([]);
  });

  it('has no circle of imports', () => {
    expect(cycleFindings(files)).toEqual([]);
  });

  it('has no circle among the folders of the server', () => {
    expect(folderCycleFindings(files, 'apps/server/src')).toEqual([]);
  });

  it('has a direction for every room', () => {
    expect(all.map(({ folder }) => folder).filter((folder) => directions[folder] === undefined)).toEqual([]);
  });

  it('is read: every room with code shows imports', () => {
    const importing = files.filter((file) => importsOf(file).length > 0).map(({ path }) => roomOf(path, all).folder);
    expect(new Set(importing).size).toBeGreaterThanOrEqual(8);
  });
});

describe('a breach is found', () => {
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

  it('lets a test import what is declared for development', () => {
    const imports = "import { it } from 'vitest'; import { Webhook } from 'standardwebhooks';";
    expect(found('packages/engine/test/step.test.ts', imports)).toEqual([]);
  });

  it('lets a test import the test kit, and nothing else of another room', () => {
    const kit = "import { freshDatabase } from '../../../tools/testing/postgres.ts';";
    expect(found('packages/engine/test/step.test.ts', kit)).toEqual([]);
    expect(found('packages/engine/src/step.ts', kit)).toHaveLength(1);
  });

  it('lets code import what is declared', () => {
    expect(found('packages/engine/src/step.ts', "import { assert } from '@ringfence/contract';")).toEqual([]);
  });

  it.each(['import', 'import type'])('circle of two by %s', (word) => {
    const circle = [
      sourceFile('packages/log/src/a.ts', `${word} { b } from './b.ts';`),
      sourceFile('packages/log/src/b.ts', `${word} { a } from './a.ts';`),
    ];
    expect(cycleFindings(circle)).toEqual(['packages/log/src/a.ts -> packages/log/src/b.ts -> packages/log/src/a.ts']);
  });

  it('circle of two folders, but not by a program or by what lies beside them', () => {
    const source = 'apps/server/src';
    const labels = sourceFile(`${source}/labels/find.ts`, "import type { Tick } from '../host/tick.ts';");
    const tick = sourceFile(`${source}/host/tick.ts`, '');
    const ofHost = (name: string): readonly string[] => {
      const host = sourceFile(`${source}/host/${name}.ts`, "import { find } from '../labels/find.ts';");
      const service = sourceFile(`${source}/service.ts`, "import { step } from './host/stepper.ts';");
      return folderCycleFindings([labels, tick, host, service], source);
    };
    expect(ofHost('stepper')).toEqual(['labels (find.ts) -> host (stepper.ts) -> labels']);
    expect(ofHost('thread')).toEqual([]);
  });
});
