import { type Finding, finding, isNode, type SourceFile, type SyntaxNode, visit } from '../source-file.ts';

/** Packages whose code decides: the same input gives the same output on any machine, also in a replay years later. */
export const deciding = /^packages\/(?:models|policy|engine)\/src\//;

/** Files with a violation that cannot affect a decision, and the reason. An unnecessary entry fails. */
export const excused: Readonly<Record<string, string>> = {
  'packages/policy/src/check/nearest.ts': 'suggests a similar name in an error message',
  'packages/policy/src/compile/foreign-names.ts': 'suggests a similar name in an error message',
  'packages/policy/src/document/yaml-mistakes.ts': 'formats an error message',
  'packages/policy/src/expression/syntax-mistake.ts': 'formats an error message',
};

const forbiddenGlobals = new Set([
  'Date',
  'Intl',
  'process',
  'performance',
  'crypto',
  'globalThis',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'WeakRef',
  'FinalizationRegistry',
]);

/** Their results depend on the locale, or on the Unicode tables of the runtime's version. */
const forbiddenMembers = /^(?:toLocale\w+|localeCompare|normalize|toUpperCase|toLowerCase|stack)$/;

/** Functions of Math whose results ECMAScript defines exactly. The others may differ between runtimes. */
const exactMath = new Set([
  'abs',
  'ceil',
  'clz32',
  'floor',
  'fround',
  'imul',
  'max',
  'min',
  'round',
  'sign',
  'sqrt',
  'trunc',
]);

/**
 * Everything that could make a decision differ between two runs: clocks, randomness, locale, scheduling, inexact
 * arithmetic.
 */
export function determinismFindings(file: SourceFile): readonly Finding[] {
  const findings: Finding[] = [];
  visit(file.tree, (node, parent) => {
    const complaint = complaintOf(node, parent);
    if (complaint !== undefined) findings.push(finding(file, node.start, complaint));
  });
  return findings;
}

function complaintOf(node: SyntaxNode, parent: SyntaxNode | undefined): string | undefined {
  switch (node.type) {
    case 'Identifier':
      return globalComplaint(node, parent);
    case 'MemberExpression':
      return memberComplaint(node);
    case 'BinaryExpression':
      return powerComplaint(node);
    case 'ImportDeclaration':
      return importComplaint(node);
    case 'AwaitExpression':
    case 'ImportExpression':
      return 'decisions are synchronous';
    case 'Literal':
      return patternComplaint(node);
    default:
      return node['async'] === true ? 'decisions are synchronous: no async function' : undefined;
  }
}

function globalComplaint(node: SyntaxNode, parent: SyntaxNode | undefined): string | undefined {
  const name = String(node['name']);
  if (!forbiddenGlobals.has(name)) return undefined;
  const isName = parent?.['computed'] === false && (parent['property'] === node || parent['key'] === node);
  return isName ? undefined : `${name} differs from run to run`;
}

function memberComplaint(node: SyntaxNode): string | undefined {
  const { object, property } = node;
  if (!isNode(object) || !isNode(property)) return undefined;
  const name = String(property['name'] ?? property['value']);
  if (forbiddenMembers.test(name)) return `${name} depends on the runtime's tables`;
  if (object['name'] === 'Math' && !exactMath.has(name)) return `Math.${name} is not exact on every runtime`;
  return undefined;
}

/** `**` on floating-point numbers is Math.pow; on bigint and between literals it is exact. */
function powerComplaint(node: SyntaxNode): string | undefined {
  if (node['operator'] !== '**') return undefined;
  const sides = [node['left'], node['right']].filter(isNode);
  const exact =
    sides.some((side) => typeof side['bigint'] === 'string') || sides.every((side) => side.type === 'Literal');
  return exact ? undefined : '** on numbers is not exact on every runtime';
}

function importComplaint(node: SyntaxNode): string | undefined {
  const { source } = node;
  const specifier = isNode(source) ? String(source['value']) : '';
  return specifier.startsWith('node:') ? `${specifier}: nothing of the machine here` : undefined;
}

function patternComplaint(node: SyntaxNode): string | undefined {
  const { regex } = node;
  if (typeof regex !== 'object' || regex === null || !('pattern' in regex)) return undefined;
  // The category Cc is fixed by Unicode's stability policy.
  return /\\[pP]\{(?!Cc\})/.test(String(regex.pattern))
    ? "a Unicode property depends on the runtime's tables"
    : undefined;
}
