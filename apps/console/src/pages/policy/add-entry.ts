import { isMap, isNode, isSeq, parse, parseDocument } from 'yaml';

/**
 * Adds lines after the last entry of a section of a policy file, or a section at its end. All other characters stay as
 * they are.
 *
 * @param lines the new entry, with the indentation of its siblings
 * @returns `undefined` if the section is not written with one entry per line
 */
export function addEntry(
  text: string,
  section: string,
  lines: (indent: string, last: string) => string,
): string | undefined {
  const added = withEntry(text, section, lines);
  return added !== undefined && isLonger(text, added, section) ? added : undefined;
}

const indentation = '  ';

function withEntry(text: string, section: string, lines: (indent: string, last: string) => string): string | undefined {
  const ended = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  const document = parseDocument(ended);
  const entries = document.get(section, true);
  if (entries === undefined)
    return `${ended}${ended.trim() === '' ? '' : '\n'}${section}:\n${lines(indentation, '')}\n`;
  if (!(isMap(entries) || isSeq(entries)) || entries.flow === true) return undefined;
  const last: unknown = entries.items.at(-1);
  const [first, end] = isNode(last)
    ? [last, last]
    : [(last as Pair | undefined)?.key, (last as Pair | undefined)?.value];
  if (!isNode(first) || !isNode(end) || !first.range || !end.range) return undefined;
  const lineStart = ended.lastIndexOf('\n', first.range[0] - 1) + 1;
  const indent = /^ */.exec(ended.slice(lineStart))![0];
  const lineEnd = ended.indexOf('\n', lineStart);
  const valueEnd = end.range[1];
  const at = ended[valueEnd - 1] === '\n' ? valueEnd : ended.indexOf('\n', valueEnd) + 1;
  return `${ended.slice(0, at)}${lines(indent, ended.slice(lineStart, lineEnd))}\n${ended.slice(at)}`;
}

interface Pair {
  readonly key: unknown;
  readonly value: unknown;
}

/** Whether the file has one more entry in this section, and is the same otherwise. */
function isLonger(before: string, after: string, section: string): boolean {
  const [was, is] = [readSections(before), readSections(after)];
  if (was === undefined || is === undefined) return false;
  const { [section]: old, ...others } = was;
  const { [section]: fresh, ...same } = is;
  return (
    JSON.stringify(others) === JSON.stringify(same) &&
    JSON.stringify(withoutLast(fresh)) === JSON.stringify(old ?? empty(fresh))
  );
}

function readSections(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return (parse(text, { logLevel: 'silent' }) ?? {}) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

function withoutLast(section: unknown): unknown {
  if (Array.isArray(section)) return section.slice(0, -1);
  return Object.fromEntries(Object.entries(section ?? {}).slice(0, -1));
}

function empty(section: unknown): unknown {
  return Array.isArray(section) ? [] : {};
}
