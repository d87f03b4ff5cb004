/** Lines of a CSV file (RFC 4180) as cells; empty lines, and lines that begin with #, are left out. */
export function readCsv(text: string): readonly (readonly string[])[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map(cellsOf);
}

function cellsOf(line: string): readonly string[] {
  const cells = line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g);
  return [...cells].map(([, quoted, plain = '']) =>
    quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'),
  );
}

export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n#]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\n`;
}
