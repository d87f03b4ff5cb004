import { expect, it } from 'vitest';
import type { Component } from '../component.ts';
import { licenceList } from '../licence-list.ts';

const component = (name: string, texts: readonly string[], more: Partial<Component> = {}): Component => ({
  kind: 'library',
  name,
  version: '1.0.0',
  licence: 'MIT',
  texts,
  purl: `pkg:npm/${name}@1.0.0`,
  ...more,
});

it('lists every component and part, and each text once with the names of those that it came with', () => {
  const list = licenceList('Title', [
    component('a', ['one\r\n'], { note: 'for pages' }),
    component('b', ['two'], { parts: [component('c', ['one'], { version: undefined })] }),
  ]);
  const rule = '-'.repeat(80);
  expect(list).toBe(
    [
      'Title\n',
      'a  1.0.0  MIT  (for pages)',
      'b  1.0.0  MIT',
      '  c  MIT\n',
      `${rule}\na 1.0.0, c\n${rule}\n\none\n`,
      `${rule}\nb 1.0.0\n${rule}\n\ntwo\n`,
    ].join('\n'),
  );
});
