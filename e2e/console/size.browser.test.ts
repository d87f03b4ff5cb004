import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = `${root}/apps/console/dist`;
/** Bytes before the first page is visible, without fonts: a branch of a bank may have a slow connection. */
const firstLoadBytesMax = 300 * 1024;

it('loads at most 300 KB, gzipped, before the first page', { timeout: 120_000 }, () => {
  const html = readFileSync(`${dist}/index.html`, 'utf8');
  const named = [...html.matchAll(/(?:src|href)="\/console\/([^"]+\.(?:js|css))"/g)].map(([, path]) => path!);
  expect(named.length).toBeGreaterThan(1);
  const loaded = new Set<string>();
  for (const path of named) collect(path, loaded);
  const bytes = [...loaded].reduce((sum, path) => sum + gzipSync(readFileSync(`${dist}/${path}`)).length, 0);
  expect(bytes).toBeLessThan(firstLoadBytesMax);
});

it('has a reproducible build without source paths', () => {
  const scripts = globSync(`${dist}/assets/*.js`);
  expect(scripts.length).toBeGreaterThan(10);
  expect(scripts.filter((path) => /jsxDEV|fileName:/.test(readFileSync(path, 'utf8')))).toEqual([]);
});

it('contains nothing inline that the content security policy would refuse', () => {
  const html = readFileSync(`${dist}/index.html`, 'utf8');
  expect(html).not.toMatch(/<style|style="|<script(?![^>]*src=)| on\w+="/);
});

/** A script with its static imports; dynamic ones do not count. */
function collect(path: string, loaded: Set<string>): void {
  if (loaded.has(path)) return;
  loaded.add(path);
  if (!path.endsWith('.js')) return;
  const text = readFileSync(`${dist}/${path}`, 'utf8');
  for (const [, name] of text.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g))
    collect(`assets/${name}`, loaded);
}
