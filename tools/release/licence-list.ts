import type { Component } from './component.ts';

const rule = '-'.repeat(80);

/** Every component with its licence, then every text once, under the names of those that it came with. */
export function licenceList(title: string, components: readonly Component[]): string {
  const all = components.flatMap((component) => withParts(component));
  const lines = components.flatMap((component) => linesOf(component, ''));
  const namesOf = new Map<string, string[]>();
  for (const { name, version = '', texts } of all) {
    for (const text of texts) {
      const own = text.replaceAll('\r\n', '\n').trim();
      namesOf.set(own, [...(namesOf.get(own) ?? []), `${name} ${version}`.trim()]);
    }
  }
  const texts = [...namesOf].map(([text, names]) => `${rule}\n${names.join(', ')}\n${rule}\n\n${text}\n`);
  return `${title}\n\n${lines.join('\n')}\n\n${texts.join('\n')}`;
}

function linesOf({ name, version = '', licence, note, parts = [] }: Component, indent: string): readonly string[] {
  const words = [name, version, licence, note === undefined ? '' : `(${note})`].filter((word) => word !== '');
  return [indent + words.join('  '), ...parts.flatMap((part) => linesOf(part, `${indent}  `))];
}

function withParts(component: Component): readonly Component[] {
  return [component, ...(component.parts ?? []).flatMap((part) => withParts(part))];
}
