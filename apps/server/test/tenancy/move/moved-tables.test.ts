import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type StoredObjects, storedObjectsFile } from '../../../src/platform/database/stored-objects.ts';
import { movedTables, specialTables, tablesThatStay } from '../../../src/tenancy/move/moved-tables.ts';

it('says of every table whether its rows move with a workspace', () => {
  const stored = JSON.parse(readFileSync(storedObjectsFile, 'utf8')) as StoredObjects;
  const tables = Object.keys(stored).flatMap((name) =>
    name.startsWith('table ') ? [name.slice('table '.length)] : [],
  );
  const said = [...movedTables.map(({ name }) => name), ...specialTables, ...tablesThatStay];
  expect(said.toSorted()).toEqual(tables.toSorted());
});

it('names each parent before its rows', () => {
  const places = new Map(movedTables.map(({ name }, place) => [name, place]));
  const late = movedTables.filter(({ name, parent }) => parent && places.get(parent.table)! > places.get(name)!);
  expect(late).toEqual([]);
});
