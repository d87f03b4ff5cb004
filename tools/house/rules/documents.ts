import { basename, dirname, join } from 'node:path/posix';
import type { Finding } from '../source-file.ts';

export interface Document {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

export interface Surroundings {
  /** Whether the repository has a file or folder at this path. */
  readonly exists: (path: string) => boolean;
  /** Whether a path of the repository begins so: the tests of one file are named without its ending. */
  readonly begins: (path: string) => boolean;
  /** The text of another document; `undefined` when there is none. */
  readonly read: (path: string) => string | undefined;
  /** Names of the npm scripts of a room; without one, of the root's. */
  readonly scripts: (room: string | undefined) => ReadonlySet<string>;
}

/** Links and paths that lead nowhere, and npm scripts that do not exist. Links out to the web are not tried. */
export function documentFindings(document: Document, around: Surroundings): readonly Finding[] {
  return [...linkFindings(document, around), ...pathFindings(document, around), ...scriptFindings(document, around)];
}

function linkFindings(document: Document, around: Surroundings): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [, target = ''] of withoutCode(document.text).matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)) {
    if (/^[a-z]+:/i.test(target)) continue;
    const [file = '', anchor] = target.split('#');
    const path = file === '' ? document.path : join(dirname(document.path), decodeURIComponent(file));
    if (!around.exists(path)) findings.push(`${document.path}: there is nothing at ${target}`);
    else if (anchor !== undefined && !anchors(around.read(path) ?? '').has(anchor)) {
      findings.push(`${document.path}: ${target} has no such heading`);
    }
  }
  return findings;
}

/** Paths in code. Decisions name what there was when they were made; what is built is not there before. */
function pathFindings({ path, text }: Document, around: Surroundings): readonly Finding[] {
  if (path.startsWith('docs/decisions/')) return [];
  const codes = Array.from(text.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code);
  const named = codes.flatMap(
    (code) => code.match(/(?<=^|\s)(?:apps|packages|tools|bench|e2e|docs)\/[\w./-]*\w/g) ?? [],
  );
  return named
    .filter((name) => !name.endsWith('/dist') && !around.begins(name))
    .map((name) => `${path}: there is nothing at ${name}`);
}

function scriptFindings(document: Document, around: Surroundings): readonly Finding[] {
  const findings: Finding[] = [];
  const named = /\bnpm run (?:-s )?([a-z][\w:-]*)(?: -w ([@\w/-]+))?/g;
  for (const [whole, script = '', room] of document.text.matchAll(named)) {
    if (!around.scripts(room).has(script)) findings.push(`${document.path}: there is no \`${whole}\``);
  }
  return findings;
}

/** The parts that every decision record has. A record is never edited, but for the line that says what replaced it. */
const recordParts = ['Context', 'Decision', 'Cost'];

/** A decision record says what was found, what was decided, and what it costs; its number is its own. */
export function decisionFindings(documents: readonly Document[]): readonly Finding[] {
  const numbers = new Map<string, string>();
  return documents.flatMap(({ path, text }) => {
    const number = /\/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1];
    if (number === undefined) return [`${path}: records are called NNNN-what-was-decided.md`];
    const missing = recordParts
      .filter((part) => !new RegExp(`^(?:#+ |\\*\\*)${part}\\b`, 'm').test(text))
      .map((part) => `${path}: no ${part}`);
    const other = numbers.get(number);
    numbers.set(number, path);
    return other === undefined ? missing : [...missing, `${path}: ${other} has the same number`];
  });
}

/**
 * The index has one line for each record, with its title and by which others it was replaced: nobody takes a decision for
 * one that holds when it does not.
 */
export function indexFindings(index: Document, records: readonly Document[]): readonly Finding[] {
  const lines = new Set(index.text.split('\n').filter((line) => line.startsWith('- ')));
  const expected = new Set(records.map(indexLine));
  return [
    ...[...expected].filter((line) => !lines.has(line)).map((line) => `${index.path}: there is no line "${line}"`),
    ...[...lines]
      .filter((line) => !expected.has(line))
      .map((line) => `${index.path}: no record has the line "${line}"`),
  ];
}

function indexLine({ path, text }: Document): string {
  const file = basename(path);
  const [, title = '', inPart = '', rest = ''] = /^# \d{4}: (.+)(?:\n\nReplaced (in part )?by (.+))?/.exec(text) ?? [];
  const by = Array.from(rest.matchAll(/\[(\d{4})\]\(/g), ([, other]) => other);
  const mark = by.length === 0 ? '' : ` (${inPart}replaced by ${by.join(', ')})`;
  return `- [${file.slice(0, 4)}](${file}): ${title}${mark}`;
}

/** Headings as links name them. */
function anchors(text: string): ReadonlySet<string> {
  const headings = withoutCode(text).matchAll(/^#+\s+(.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-'),
    ),
  );
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
}
