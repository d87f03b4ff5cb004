import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Component } from './component.ts';

/** Numbers of interfaces among the versions of Node, and its own. */
const notLibraries: ReadonlySet<string> = new Set(['node', 'modules', 'napi']);

/**
 * Node.js, with the libraries that are compiled into it, as the running one states them.
 *
 * @param folder of its package
 */
export function nodeComponent(folder: string): Component {
  const version = process.versions.node;
  const binary = readFileSync(join(folder, 'bin/node'));
  const texts = [readFileSync(join(folder, 'LICENSE'), 'utf8')];
  return {
    kind: 'platform',
    name: 'node',
    version,
    licence: 'MIT',
    texts,
    purl: `pkg:generic/node@${version}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    files: [{ name: 'node', sha256: createHash('sha256').update(binary).digest('hex') }],
    parts: Object.entries(process.versions)
      .filter(([name, stated]) => !notLibraries.has(name) && stated !== undefined && stated !== '')
      .map(([name, stated = '']) => partOfNode(name, stated)),
  };
}

/** Its licence is in the text of Node's. */
function partOfNode(name: string, version: string): Component {
  return {
    kind: 'library',
    name,
    version,
    licence: 'see the licence of node',
    texts: [],
    purl: `pkg:generic/${name}@${encodeURIComponent(version)}`,
    ...(name === 'openssl' ? { cpe: `cpe:2.3:a:openssl:openssl:${version}:*:*:*:*:*:*:*` } : {}),
  };
}
