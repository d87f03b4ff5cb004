import { basename, dirname, join } from 'node:path/posix';
import type { Finding } from '../source-file.ts';

export interface Document {
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly text: string;
}

export interface Surroundings {
  /** Whether the repository has a file or folder at this path. */
  readonly exists: (path: string) => boolean;
  /** Whether any path of the repository has this prefix: vitest accepts a test file's name without its extension. */
  readonly begins: (path: string) => boolean;
  /** The text of another document; `undefined` if there is none. */
  readonly read: (path: string) => string | undefined;
  /** Names of the npm scripts of a workspace; of the root's by default. */
  readonly scripts: (room: string | undefined) => ReadonlySet<string>;
}

/** Broken links and paths, and npm scripts that do not exist. Links to the web are not checked. */
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

/** Repository paths inside code spans. Build output does not exist before the build. */
function pathFindings({ path, text }: Document, around: Surroundings): readonly Finding[] {
  const codes = Array.from(text.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code);
  const named = codes.flatMap(
    (code) => code.match(/(?<=^|\s)(?:apps|packages|tools|bench|e2e|docs)\/[\w./-]*\w/g) ?? [],
  );
  return [...named, ...pathsInRoom(path, codes)]
    .filter((name) => !name.endsWith('/dist') && !around.begins(name))
    .map((name) => `${path}: there is nothing at ${name}`);
}

/** A README names the files of its own package from the package's folder: `src/index.ts`. */
function pathsInRoom(path: string, codes: readonly string[]): readonly string[] {
  const room = /^((?:apps|packages)\/[^/]+|bench|e2e)\/(?:.*\/)?README\.md$/.exec(path)?.[1];
  if (room === undefined) return [];
  return codes.flatMap((code) => code.match(/^(?:src|test)\/[\w./-]*\w$/g) ?? []).map((name) => `${room}/${name}`);
}

function scriptFindings(document: Document, around: Surroundings): readonly Finding[] {
  const findings: Finding[] = [];
  const named = /\bnpm run (?:-s )?([a-z][\w:-]*)(?: -w ([@\w/-]+))?/g;
  for (const [whole, script = '', room] of document.text.matchAll(named)) {
    if (!around.scripts(room).has(script)) findings.push(`${document.path}: there is no \`${whole}\``);
  }
  return findings;
}

const requiredSections = ['Problem', 'Decision', 'Price'];
const optionalSection = 'Tried, and left';
/** Lines of one record: two screens, five minutes to read. */
const recordLinesMax = 79;
/** Few enough to read all of them: above it, merge two, or move details to docs/internals. */
const recordsMax = 32;

/**
 * The shape of the decision records: `NNNN-short-title.md`, a title with the same number, the sections Problem, Decision
 * and Price in this order, optionally "Tried, and left" behind them, under 80 lines, at most 32 records.
 */
export function decisionFindings(records: readonly Document[]): readonly Finding[] {
  const numbers = new Map<string, string>();
  const findings = records.flatMap(({ path, text }) => {
    const number = /\/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1];
    if (number === undefined) return [`${path}: records are called NNNN-short-title.md`];
    const other = numbers.get(number);
    numbers.set(number, path);
    return [...recordFindings({ path, text }, number), ...(other ? [`${path}: ${other} has the same number`] : [])];
  });
  const tooMany = `there are ${records.length} decision records, at most ${recordsMax} are allowed`;
  return records.length > recordsMax ? [...findings, tooMany] : findings;
}

function recordFindings({ path, text }: Document, number: string): readonly Finding[] {
  const findings: Finding[] = [];
  if (!text.startsWith(`# ${number}: `)) findings.push(`${path}: the title must begin with "# ${number}: "`);
  const sections = Array.from(withoutCode(text).matchAll(/^## (.+)$/gm), ([, section]) => section!);
  if (sections.at(-1) === optionalSection) sections.pop();
  if (sections.join() !== requiredSections.join()) {
    findings.push(`${path}: the sections must be ${requiredSections.join(', ')}, and optionally "${optionalSection}"`);
  }
  const lines = text.trimEnd().split('\n').length;
  if (lines > recordLinesMax) findings.push(`${path}: ${lines} lines, at most ${recordLinesMax} are allowed`);
  return findings;
}

/** The index has exactly one line for each record, with its number and its title. */
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
  const [, title = ''] = /^# \d{4}: (.+)/.exec(text) ?? [];
  return `- [${file.slice(0, 4)}](${file}): ${title}`;
}

/** Headings in the form that links use. */
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
