import { type Finding, finding, type SourceFile } from '../source-file.ts';

/** Where an operation meets its callers: a command, and a route of the management API. */
export const adapters = /^apps\/server\/src\/(?:cli\/commands\/.*|api\/.*-routes)\.ts$/;

/** An adapter parses, calls and prints. SQL in it would be written again in the other one. */
export function adapterFindings(file: SourceFile): readonly Finding[] {
  return [...file.text.matchAll(/\.query\b(?=[<(])|\binTransaction\(/g)].map((match) =>
    finding(file, match.index, 'SQL: put it into a function of the domain, which commands and routes can both call'),
  );
}
