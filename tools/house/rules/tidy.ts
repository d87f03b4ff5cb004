import { basename } from 'node:path/posix';
import { type Finding, finding, type SourceFile, visit } from '../source-file.ts';

/** A longer file does more than one thing. Tests are tables, and may be longer. */
const linesMax = 500;
const testLinesMax = 800;

const kebabCase = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z]+)*$/;
/** Names that do not describe the content, so that unrelated code accumulates there. */
const drawers = new Set([
  'utils',
  'util',
  'helpers',
  'helper',
  'types',
  'lib',
  'common',
  'misc',
  'shared',
  'constants',
]);
const isTest = /\/(?:test|conformance)\/|\.test\.ts$/;

/** Violations that do not depend on the file's purpose: its size, its name, leftovers. */
export function tidyFindings(file: SourceFile): readonly Finding[] {
  return [...size(file), ...name(file), ...leftovers(file), ...machinePaths(file), ...skippedTests(file)];
}

function size(file: SourceFile): readonly Finding[] {
  const lines = file.text.split('\n').length - 1;
  const max = isTest.test(file.path) ? testLinesMax : linesMax;
  return lines > max ? [`${file.path}: ${lines} lines, at most ${max}`] : [];
}

function name(file: SourceFile): readonly Finding[] {
  const base = basename(file.path);
  const stem = base.split('.')[0] ?? base;
  if (drawers.has(stem)) return [`${file.path}: name it for the one thing that it holds`];
  return kebabCase.test(base) ? [] : [`${file.path}: file names are kebab-case`];
}

/** A reminder that is not tracked elsewhere, and a disabled lint rule without a reason. */
function leftovers(file: SourceFile): readonly Finding[] {
  const words = /\b(?:TOD[O]|FIXM[E]|XX[X]|HAC[K])\b/g; // spelt so that this line does not match itself
  const reminders = [...file.text.matchAll(words)].map((match) =>
    finding(file, match.index, `${match[0]}: do it, or track it`),
  );
  const switches = [...file.text.matchAll(/(?:ox|es)lint-disable[^\n]*|@ts-(?:ignore|expect-error|nocheck)[^\n]*/g)]
    .filter(([line]) => !/(?: -- |: )\S+/.test(line))
    .map((match) => finding(file, match.index, 'a rule is switched off without a reason (" -- reason")'));
  return [...reminders, ...switches];
}

/** Paths of one particular machine. */
function machinePaths(file: SourceFile): readonly Finding[] {
  const paths = /["'`(](?:\/work\/|\/Users\/|\/home\/(?!node\b|ringfence\b)\w|\/root\/|[A-Z]:\\\\)/g;
  return [...file.text.matchAll(paths)].map((match) =>
    finding(file, match.index, `a path of one machine: ${match[0].slice(1)}`),
  );
}

/** `it.only` hides every other test; `it.skip` hides a gap without a reason. Use `skip('reason')` inside a test. */
function skippedTests(file: SourceFile): readonly Finding[] {
  const findings: Finding[] = [];
  visit(file.tree, (node) => {
    if (node.type !== 'MemberExpression') return;
    const text = file.text.slice(node.start, node.end);
    if (/^(?:it|test|describe)\.(?:\w+\.)*(?:only|skip|todo)$/.test(text)) {
      findings.push(finding(file, node.start, `${text}: a test runs, or says inside why it can't`));
    }
  });
  return findings;
}
